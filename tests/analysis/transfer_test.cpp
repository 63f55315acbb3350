// SPDX-License-Identifier: Apache-2.0
#include "analysis/transfer.h"

#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/report/transfer_print.h"
#include "core/error.h"
#include "tests/analysis/report/sample_run.h"
#include "tests/support/golden.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

CellResult cell_of(std::size_t index, const char* engine, std::int64_t workers, double rate) {
  Settings settings{{"engine", std::string(engine)}, {"num_workers", workers}};
  CellResult cell = measured_cell(index, std::move(settings), rate, 0.02 * rate);
  cell.metrics.push_back({"repeats", 2.0});
  cell.metrics.push_back({"step_time", 64.0 / rate});
  for (const double factor : {0.998, 1.002}) {
    Repeat repeat;
    repeat.metrics = {{"samples_per_second", factor * rate}, {"step_time", 64.0 / (factor * rate)}};
    cell.repeats.push_back(std::move(repeat));
  }
  return cell;
}

/// Cells with 0, 1, 2, … workers.
RunResult run_of(const char* engine, const std::vector<double>& rates) {
  RunResult run;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    run.cells.push_back(cell_of(i, engine, static_cast<std::int64_t>(i), rates[i]));
  }
  return run;
}

void fail(CellResult& cell, const char* reason) {
  cell.outcome = Outcome::kFailed;
  cell.reason = reason;
}

/// Native compared with torch: an inversion, a tie, a failure, a cell only in A and one skipped in
/// both.
Transfer sample_transfer() {
  RunResult a = run_of("native", {1000, 1900, 2500, 2480, 2000, 1500, 900});
  RunResult b = run_of("torch", {950, 1700, 2210, 2260, 2205, 1400});
  fail(b.cells[5], "worker 3 was killed by SIGBUS");
  a.cells[0].outcome = b.cells[0].outcome = Outcome::kSkipped;
  return transfer_between(a, b, {.label_a = "native.csv", .label_b = "torch.csv"});
}

std::string printed(const Transfer& transfer, TableStyle style = TableStyle::kTerminal) {
  std::ostringstream out;
  print_transfer(out, transfer, style);
  return out.str();
}

TEST(Transfer, prints_as_committed) {
  expect_golden(printed(sample_transfer()), "tests/golden/report/transfer.txt");
}

TEST(Transfer, leaves_columns_out_where_the_terminal_is_narrow) {
  std::ostringstream out;
  print_transfer(out, sample_transfer(), TableStyle::kTerminal, 80);
  EXPECT_THAT(
      out.str(),
      HasSubstr(
          "Not shown in 80 columns: step_time A, step_time B, samples/s A; --csv has them.\n"));
}

TEST(Transfer, prints_markdown_as_committed) {
  expect_golden(printed(sample_transfer(), TableStyle::kMarkdown),
                "tests/golden/report/transfer.md");
}

TEST(Transfer, writes_cells_as_csv_in_base_units) {
  std::ostringstream out;
  write_transfer_csv(out,
                     transfer_between(run_of("native", {100, 200}), run_of("torch", {50, 400})));
  EXPECT_EQ(out.str(),
            "num_workers,step_time_a,step_time_b,step_time_error,samples_per_second_a,"
            "samples_per_second_b,rank_a,rank_b\n"
            "0,0.64,1.28,-0.5,100.0,50.0,2.0,2.0\n"
            "1,0.32,0.16,1.0,200.0,400.0,1.0,1.0\n");
}

TEST(Transfer, matches_in_spite_of_the_engine_and_of_other_constants) {
  RunResult a = run_of("native", {100, 200}), b = run_of("torch", {50, 400});
  for (CellResult& cell : a.cells) cell.settings.push_back({"emulate", std::string("p.yaml")});
  for (CellResult& cell : b.cells) cell.settings.push_back({"emulate", std::string()});
  const Transfer transfer = transfer_between(a, b);
  EXPECT_EQ(transfer.cells.size(), 2U);
  ASSERT_EQ(transfer.ignored.size(), 2U);
  EXPECT_EQ(transfer.ignored[0].name, "engine");
  EXPECT_EQ(transfer.ignored[1].name, "emulate");
}

TEST(Transfer, matches_by_what_varies_in_one_unless_told_to_ignore_it) {
  RunResult a = run_of("native", {100, 200}), b = run_of("torch", {50, 400});
  for (CellResult& cell : a.cells) cell.settings.push_back({"seed", std::int64_t{1}});
  b.cells[0].settings.push_back({"seed", std::int64_t{1}});
  b.cells[1].settings.push_back({"seed", std::int64_t{2}});
  EXPECT_EQ(transfer_between(a, b).cells.size(), 1U);
  EXPECT_EQ(transfer_between(a, b, {.ignored = {"seed"}}).cells.size(), 2U);
}

TEST(Transfer, lists_what_was_not_measured_in_both) {
  const Transfer transfer = sample_transfer();
  ASSERT_EQ(transfer.not_measured.size(), 1U);
  EXPECT_EQ(transfer.not_measured[0].name, "num_workers=5");
  EXPECT_EQ(transfer.not_measured[0].a, "ok");
  EXPECT_EQ(transfer.not_measured[0].b, "failed (worker 3 was killed by SIGBUS)");
  EXPECT_THAT(transfer.unmatched_a, ElementsAre("num_workers=6: ok"));
  EXPECT_EQ(transfer.skipped_in_both, 1U);
}

TEST(Transfer, ranks_the_fastest_first) {
  const Transfer transfer = sample_transfer();
  std::vector<double> ranks;
  for (const TransferredCell& cell : transfer.cells) ranks.push_back(cell.rank_a);
  EXPECT_THAT(ranks, ElementsAre(4.0, 1.0, 2.0, 3.0));
}

TEST(Transfer, takes_what_a_tune_recommends_for_what_it_proposes) {
  RunResult tune = run_of("native", {1000, 1900, 2500});
  const RunResult torch = run_of("torch", {950, 1700, 2210});
  const auto proposed = [&] {
    const Transfer transfer = transfer_between(tune, torch, {});
    const auto& cells = transfer.cells;
    return std::find_if(cells.begin(), cells.end(),
                        [](const auto& cell) { return cell.is_proposed_by_a; })
        ->rate_a;
  };
  EXPECT_EQ(proposed(), 2500);
  tune.recommended = Recommended{.settings = tune.cells[1].settings};
  EXPECT_EQ(proposed(), 1900);
}

TEST(Transfer, leaves_limits_out_unless_there_is_nothing_else) {
  RunResult a = run_of("native", {100, 200}), b = run_of("torch", {50, 400});
  for (RunResult* run : {&a, &b}) {
    run->cells[1].settings.push_back({"trainer", std::string("discard")});
    run->cells[0].settings.push_back({"trainer", std::string("burn")});
  }
  EXPECT_EQ(transfer_between(a, b).cells.size(), 1U);
  EXPECT_THAT(transfer_between(a, b).limits, ElementsAre(HasSubstr("trainer=discard")));
  for (RunResult* run : {&a, &b}) run->cells[0].settings.back().value = std::string("discard");
  EXPECT_EQ(transfer_between(a, b).cells.size(), 2U);
}

TEST(Transfer, of_runs_with_nothing_in_common_says_so) {
  const Transfer transfer = transfer_between(RunResult{}, run_of("torch", {1}));
  EXPECT_THAT(transfer.cells, IsEmpty());
  EXPECT_THAT(printed(transfer), HasSubstr("No cell was measured in both"));
}

TEST(Transfer, says_why_there_are_no_intervals) {
  RunResult b = run_of("torch", {50, 400});
  for (CellResult& cell : b.cells) cell.repeats.clear();
  EXPECT_THAT(printed(transfer_between(run_of("native", {100, 200}), b)),
              HasSubstr("No intervals: 2 of 2 cells have fewer than two recorded repeats"));
}

RunResult both_engines() {
  RunResult run;
  run.cells = {cell_of(0, "native", 1, 100), cell_of(1, "torch", 1, 90),
               cell_of(2, "native", 2, 200), cell_of(3, "torch", 2, 190)};
  return run;
}

TEST(DivideRun, makes_two_of_one_by_the_values_of_a_setting) {
  const DividedRun divided = divide_run(both_engines(), "engine");
  EXPECT_EQ(divided.value_a, "native");
  EXPECT_EQ(divided.value_b, "torch");
  const Transfer transfer = transfer_between(divided.a, divided.b);
  ASSERT_EQ(transfer.cells.size(), 2U);
  EXPECT_DOUBLE_EQ(transfer.cells[1].rate_b, 190.0);
}

TEST(DivideRun, takes_the_two_values_that_are_named_and_lists_the_rest) {
  RunResult run = both_engines();
  run.cells.push_back(cell_of(4, "other", 1, 1));
  run.cells.push_back(cell_of(5, "", 1, 1));
  const DividedRun divided = divide_run(run, "engine=torch,native");
  EXPECT_EQ(divided.value_a, "torch");
  EXPECT_EQ(divided.a.cells.size(), 2U);
  EXPECT_THAT(divided.undivided, ElementsAre("engine=other: 1 cell", "num_workers=1: ok"));
}

TEST(DivideRun, refuses_what_is_not_two_values) {
  RunResult run = both_engines();
  const auto refusal = [&](const char* by, const char* message) {
    EXPECT_THAT([&] { static_cast<void>(divide_run(run, by)); },
                ThrowsMessage<ConfigError>(HasSubstr(message)))
        << by;
  };
  refusal("colour", "--by colour: no cell has this setting");
  refusal("engine=native", "1 value, must be two; the result has native, torch");
  refusal("engine=native,native", "must be two");
  refusal("engine=native,jax", "no cell has engine=jax; the result has native, torch");
  run.cells.push_back(cell_of(4, "other", 1, 1));
  refusal("engine", "3 values, must be two");
}

TEST(CellsWith, keeps_those_that_have_all_values) {
  RunResult run = run_of("native", {100, 200, 300});
  run.cells.push_back(cell_of(3, "torch", 1, 150));
  const RunResult kept = cells_with(run, {"engine=native", "num_workers=1"});
  ASSERT_EQ(kept.cells.size(), 1U);
  EXPECT_EQ(kept.cells[0].index, 1U);
}

TEST(CellsWith, takes_several_settings_in_one_text_and_commas_in_a_value) {
  RunResult run = run_of("native", {100, 200, 300});
  run.cells.push_back(cell_of(3, "torch", 1, 150));
  run.cells.push_back(cell_of(4, "torch,new", 1, 160));
  ASSERT_EQ(cells_with(run, {"engine=torch,num_workers=1"}).cells.size(), 1U);
  EXPECT_EQ(cells_with(run, {"engine=torch,num_workers=1"}).cells[0].index, 3U);
  ASSERT_EQ(cells_with(run, {"engine=torch,new,num_workers=1"}).cells.size(), 1U);
  EXPECT_EQ(cells_with(run, {"engine=torch,new,num_workers=1"}).cells[0].index, 4U);
}

TEST(CellsWith, an_empty_value_is_that_of_cells_without_one) {
  RunResult run = run_of("native", {100, 200});
  for (CellResult& cell : run.cells) cell.settings.push_back({"emulate", std::string()});
  run.cells[1].settings.back().value = std::string("profile.yaml");
  EXPECT_EQ(cells_with(run, {"emulate="}).cells.size(), 1U);
}

TEST(CellsWith, refuses_an_unknown_setting_and_values_that_no_cell_has) {
  const RunResult run = run_of("native", {100, 200});
  EXPECT_THAT([&] { static_cast<void>(cells_with(run, {"workers=1"})); },
              ThrowsMessage<ConfigError>(HasSubstr("--only workers=1: must be a setting")));
  EXPECT_THAT([&] { static_cast<void>(cells_with(run, {"num_workers"})); },
              ThrowsMessage<ConfigError>(HasSubstr("as num_workers=2")));
  EXPECT_THAT([&] { static_cast<void>(cells_with(run, {"num_workers=9"})); },
              ThrowsMessage<ConfigError>(HasSubstr("no cell of A matches")));
}

}  // namespace
}  // namespace feedrate
