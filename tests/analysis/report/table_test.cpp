// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/table.h"

#include <sstream>

#include <gtest/gtest.h>

#include "analysis/answer.h"
#include "tests/analysis/report/sample_run.h"
#include "tests/support/golden.h"

namespace feedrate {
namespace {

std::string printed(const RunResult& run, TableStyle style) {
  std::ostringstream out;
  print_table(out, run, style);
  print_answer(out, run, style);
  return out.str();
}

TEST(Table, is_as_committed_on_a_terminal) {
  expect_golden(printed(sample_run(), TableStyle::kTerminal), "tests/golden/report/table.txt");
}

TEST(Table, is_as_committed_in_markdown) {
  expect_golden(printed(sample_run(), TableStyle::kMarkdown), "tests/golden/report/table.md");
}

TEST(Table, says_whose_loader_it_was_before_anything_else) {
  RunResult run = sample_run();
  for (CellResult& cell : run.cells) cell.settings.push_back({"engine", std::string("native")});
  const std::string text = printed(run, TableStyle::kTerminal);
  EXPECT_TRUE(text.starts_with(run.question + "\nThese are rates of feedrate's native loader.\n"))
      << text;
}

TEST(Table, shows_of_the_constants_only_what_the_run_named) {
  RunResult run;
  run.cells = {measured_cell(
      0, {{"num_workers", std::int64_t{1}}, {"shuffle", true}, {"timeout", std::int64_t{0}}}, 5.0)};
  run.set = {"shuffle"};
  const std::string text = printed(run, TableStyle::kTerminal);
  EXPECT_NE(text.find("constant: shuffle=true\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("timeout"), std::string::npos) << text;
}

TEST(Table, leaves_the_least_important_columns_out_of_a_narrow_terminal_and_names_them) {
  std::ostringstream wide, narrow;
  print_table(wide, sample_run(), TableStyle::kTerminal, 150);
  print_table(narrow, sample_run(), TableStyle::kTerminal, 110);
  EXPECT_EQ(wide.str().find("Not shown"), std::string::npos);
  EXPECT_NE(narrow.str().find("Not shown in 110 columns: first_batch_time, training_time"),
            std::string::npos)
      << narrow.str();
  const std::string table = narrow.str().substr(narrow.str().find("\n\n") + 2);
  EXPECT_LE(table.find('\n'), 110U);
}

TEST(Table, has_the_job_of_each_cell_where_there_is_one) {
  RunResult run;
  run.cells = {measured_cell(0, {{"num_workers", std::int64_t{1}}}, 5.0)};
  run.cells[0].metrics.push_back({"job_time", 12.5});
  EXPECT_EQ(printed(run, TableStyle::kTerminal).find("job_time"), std::string::npos);
  run.cells[0].jobid = "4711";
  const std::string text = printed(run, TableStyle::kTerminal);
  EXPECT_NE(text.find("jobid  "), std::string::npos) << text;
  EXPECT_NE(text.find("\n4711 "), std::string::npos) << text;
  EXPECT_NE(text.find("job_time"), std::string::npos) << text;
}

TEST(Table, marks_rows_that_pytorch_has_no_settings_for) {
  RunResult run;
  for (std::size_t i = 0; i < 2; ++i) {
    run.cells.push_back(measured_cell(i, {{"decoder", std::string(i == 0 ? "fast" : "library")}},
                                      i == 0 ? 631.0 : 454.0));
  }
  const std::string text = printed(run, TableStyle::kTerminal);
  EXPECT_NE(text.find("1.00  not in PyTorch\n"), std::string::npos) << text;
  EXPECT_NE(text.find("0.72  proposed\n"), std::string::npos) << text;
}

TEST(Table, shows_the_first_rows_of_a_long_table_on_a_terminal) {
  RunResult run;
  for (std::size_t i = 0; i < 60; ++i) {
    run.cells.push_back(measured_cell(i, {{"num_workers", static_cast<std::int64_t>(i)}},
                                      1000.0 - 10.0 * static_cast<double>(i)));
  }
  const std::string terminal = printed(run, TableStyle::kTerminal);
  EXPECT_NE(terminal.find("\n20 more rows: "), std::string::npos) << terminal;
  EXPECT_EQ(printed(run, TableStyle::kMarkdown).find("more rows"), std::string::npos);
}

TEST(Table, marks_the_proposed_row_only) {
  const std::string text = printed(sample_run(), TableStyle::kTerminal);
  const std::size_t mark = text.find("  proposed\n");
  ASSERT_NE(mark, std::string::npos);
  EXPECT_NE(text.rfind("lmdb              2  true", mark), std::string::npos);
  EXPECT_EQ(text.find("  proposed\n", mark + 1), std::string::npos);
}

Settings table_trainer(const char* word, std::int64_t workers) {
  return {{"trainer", std::string(word)}, {"num_workers", workers}};
}

TEST(Table, shows_limits_below_the_cells_and_against_the_best_of_them) {
  RunResult run;
  run.cells = {measured_cell(0, table_trainer("discard", 2), 3000.0),
               measured_cell(1, table_trainer("burn", 0), 500.0),
               measured_cell(2, table_trainer("burn", 2), 1000.0)};
  std::ostringstream out;
  print_table(out, run, TableStyle::kTerminal);
  EXPECT_EQ(out.str(), R"(
num_workers  samples_per_second  vs best
-----------  ------------------  -------  --------
          2               1,000     1.00  proposed
          0                 500     0.50

Reference cells, with a mock trainer or a mock loader:
trainer  num_workers  samples_per_second  vs best
-------  -----------  ------------------  -------
discard            2               3,000     3.00
)");
}

TEST(Table, marks_the_cells_that_other_programs_disturbed_and_says_so_first) {
  RunResult run;
  run.environment.warnings = {"It is a virtual machine."};
  run.cells = {measured_cell(0, table_trainer("burn", 1), 500.0),
               measured_cell(1, table_trainer("burn", 2), 1000.0)};
  EXPECT_EQ(printed(run, TableStyle::kTerminal).find('!'), std::string::npos);
  for (const auto& [tag, value] :
       std::vector<Metric>{{"cpus", 2.0}, {"foreign_cpu", 0.96}, {"disturbed", 1.0}}) {
    run.cells[1].metrics.push_back({tag, value});
  }
  const std::string text = printed(run, TableStyle::kTerminal);
  EXPECT_NE(text.find(" 1,000 !"), std::string::npos) << text;
  EXPECT_EQ(text.find(" 500 !"), std::string::npos) << text;
  EXPECT_NE(text.find("\n!: disturbed by other programs"), std::string::npos) << text;
  EXPECT_LT(text.find("Other programs used 0.96 of 2 CPUs"), text.find("virtual machine")) << text;
}

TEST(Table, shows_limits_as_cells_where_there_is_nothing_else) {
  RunResult run;
  run.cells = {measured_cell(0, table_trainer("discard", 0), 3000.0),
               measured_cell(1, table_trainer("discard", 2), 4000.0)};
  EXPECT_EQ(printed(run, TableStyle::kTerminal).find("Reference cells"), std::string::npos);
}

TEST(Table, lists_an_ok_cell_without_a_rate_last) {
  RunResult run;
  run.cells = {measured_cell(0, {{"num_workers", std::int64_t{1}}}, 0.0),
               measured_cell(1, {{"num_workers", std::int64_t{2}}}, 5.0)};
  run.cells[0].metrics.clear();
  const std::string text = printed(run, TableStyle::kTerminal);
  EXPECT_NE(text.find("          1                   –        –\n"), std::string::npos) << text;
}

TEST(Table, groups_skipped_cells_by_reason) {
  RunResult run;
  for (const char* const reason : {"one", "two", "one"}) {
    CellResult cell;
    cell.outcome = Outcome::kSkipped;
    cell.reason = reason;
    run.cells.push_back(cell);
  }
  const std::string text = printed(run, TableStyle::kTerminal);
  EXPECT_NE(text.find("  2 cells: one\n  1 cell: two\n"), std::string::npos) << text;
}

TEST(Table, says_that_the_sweep_was_interrupted) {
  RunResult run = sample_run();
  run.interrupted = true;
  EXPECT_NE(
      printed(run, TableStyle::kTerminal).find("1 cell not run: the sweep was interrupted.\n"),
      std::string::npos);
}

TEST(Table, says_that_nothing_was_measured) {
  EXPECT_EQ(printed(RunResult{}, TableStyle::kTerminal), "\nNo cell was measured.\n");
}

}  // namespace
}  // namespace feedrate
