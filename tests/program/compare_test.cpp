// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include <nlohmann/json.hpp>

#include "analysis/report/csv.h"
#include "tests/program/workspace.h"

namespace feedrate::testing {
namespace {

class Compare : public Workspace {
 protected:
  void SetUp() override {
    make_images();
    write("s.yaml", sweep_config("path: ds", "batch_size: 4, num_workers: [0, 1]"));
    prepare("sweep s.yaml --out a");
    write_scaled("base.csv", 1.0);
  }

  // Writes the rows of a's cells.csv with `factor` times their rate, an interval of 1 %, and no
  // disturbance.
  void write_scaled(std::string_view name, double factor) const {
    RunResult run = read_cells_csv(path("a") / "cells.csv");
    for (CellResult& cell : run.cells) {
      const double rate = factor * *find_metric(cell.metrics, "samples_per_second");
      std::erase_if(cell.metrics, [](const Metric& metric) {
        return metric.tag == "disturbed" || metric.tag.starts_with("samples_per_second");
      });
      cell.metrics.insert(cell.metrics.end(), {{"samples_per_second", rate},
                                               {"samples_per_second_low", 0.99 * rate},
                                               {"samples_per_second_high", 1.01 * rate}});
    }
    std::ofstream file(path(name));
    write_cells_csv(file, run);
  }
};

TEST_F(Compare, a_run_with_itself_is_no_regression) {
  const Finished done = feedrate("compare a a");
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.out, AllOf(HasSubstr("1.000"), HasSubstr("no regression")));
}

TEST_F(Compare, writes_the_cells_into_a_file_too) {
  EXPECT_EQ(feedrate("compare a a --csv cells.csv").exit_code, 0);
  EXPECT_EQ(read("cells.csv"), feedrate("compare a a --format csv").out);
}

TEST_F(Compare, results_are_not_replaced_by_outputs) {
  const std::string cells = read("a/cells.csv"), run = read("a/run.json");
  for (const char* command : {"compare a base.csv --csv base.csv", "compare a a --csv a/cells.csv",
                              "report a -o a/run.json", "report base.csv -o ./base.csv"}) {
    const Finished done = feedrate(command);
    EXPECT_EQ(done.exit_code, 2) << command;
    EXPECT_THAT(done.err, HasSubstr("would replace its own input")) << command;
  }
  EXPECT_EQ(read("a/cells.csv"), cells);
  EXPECT_EQ(read("a/run.json"), run);
}

TEST_F(Compare, refuses_a_table_of_another_origin) {
  write("mine.csv", "cell,outcome,workers,pin_memory,seconds\n0,ok,4,1,3.5\n");
  const Finished done = feedrate("compare a mine.csv");
  EXPECT_NE(done.exit_code, 0);
  EXPECT_THAT(done.err, HasSubstr("not a cells.csv of feedrate"));
}

TEST_F(Compare, half_the_rate_is_a_regression) {
  write_scaled("slower.csv", 0.5);
  const Finished done = feedrate("compare base.csv slower.csv");
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_THAT(done.out, AllOf(HasSubstr("0.500"), HasSubstr("num_workers=0")));
}

TEST_F(Compare, twice_the_rate_is_no_regression) {
  write_scaled("faster.csv", 2.0);
  EXPECT_EQ(feedrate("compare base.csv faster.csv").exit_code, 0);
}

TEST_F(Compare, its_files_may_go_to_standard_output) {
  std::filesystem::create_symlink("/proc/self/fd/1", path("out"));  // as /dev/stdout is
  const Finished piped = feedrate("compare a a --csv out");
  EXPECT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_THAT(piped.out, HasSubstr("\n1,a,a,"));
  EXPECT_TRUE(std::filesystem::is_symlink(path("out")));
}

TEST_F(Compare, a_loss_within_the_threshold_is_no_regression) {
  write_scaled("slower.csv", 0.5);
  EXPECT_EQ(feedrate("compare base.csv slower.csv --threshold 0.6").exit_code, 0);
}

TEST_F(Compare, runs_without_a_cell_in_common_cannot_be_compared) {
  prepare("sweep s.yaml --axis batch_size=2 --out other");
  const Finished done = feedrate("compare a other");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("no measured cell in common"));
}

TEST_F(Compare, a_result_without_common_cells_is_named) {
  prepare("sweep s.yaml --axis batch_size=2 --out other");
  const Finished done = feedrate("compare a a other");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("a and other have no measured cell in common"));
}

TEST_F(Compare, several_are_compared_with_the_first_one) {
  write_scaled("faster.csv", 2.0);
  write_scaled("slower.csv", 0.5);
  const Finished done = feedrate("compare base.csv faster.csv slower.csv");
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_THAT(done.out, AllOf(HasSubstr("B: faster.csv"), HasSubstr("C: slower.csv"),
                              HasSubstr("B: no regression"), HasSubstr("C: 2 of 2 cells")));
}

TEST_F(Compare, an_interval_over_starts_gives_verdicts) {
  write_scaled("much-faster.csv", 100.0);
  const Finished done = feedrate("compare base.csv much-faster.csv");
  EXPECT_THAT(done.out, AllOf(HasSubstr("WIN"), HasSubstr("100.000 (")));
  EXPECT_EQ(feedrate("compare much-faster.csv base.csv").exit_code, 3);
}

TEST_F(Compare, csv_has_a_line_a_cell) {
  write_scaled("slower.csv", 0.5);
  const Finished done = feedrate("compare base.csv slower.csv --format csv");
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_THAT(done.out, AllOf(StartsWith("num_workers,baseline,run,"),
                              HasSubstr("\n1,base.csv,slower.csv,"), HasSubstr(",0.5,")));
}

TEST_F(Compare, json_says_whether_anything_regressed) {
  write_scaled("slower.csv", 0.5);
  const Finished done = feedrate("compare base.csv slower.csv --json");
  EXPECT_EQ(done.exit_code, 3);
  const auto document = nlohmann::json::parse(done.out);
  EXPECT_EQ(document.at("has_regression"), true);
  EXPECT_EQ(document.at("cells").size(), 2U);
}

TEST_F(Compare, markdown_is_a_table_to_paste) {
  EXPECT_THAT(feedrate("compare a a --format markdown").out, HasSubstr("|:----"));
}

TEST_F(Compare, an_unknown_format_is_refused) {
  const Finished done = feedrate("compare a a --format xml");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("must be table, csv, json or markdown"));
}

TEST_F(Compare, warns_about_differences_between_the_machines) {
  EXPECT_THAT(feedrate("compare a a/cells.csv").out,
              AllOf(HasSubstr("may be unfair"), HasSubstr("B has no record of its machine")));
}

TEST_F(Compare, cells_are_matched_without_ignored_settings) {
  prepare("sweep s.yaml --axis batch_size=2 --out other");
  const Finished done =
      feedrate("compare a other --ignore batch_size,reference_batch --threshold 0.99");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("batch_size: 4 in A, 2 in B"));
}

TEST_F(Compare, folder_json_and_csv_of_one_run_are_equal) {
  EXPECT_EQ(feedrate("compare a/run.json a/cells.csv").exit_code, 0);
}

TEST_F(Compare, says_that_both_are_simulated) {
  EXPECT_THAT(feedrate("compare a a").out, HasSubstr("simulated device: sim:a100-pcie4"));
}

TEST_F(Compare, a_result_that_is_not_there_is_named) {
  const Finished done = feedrate("compare a nothing");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("nothing: does not exist"));
}

TEST_F(Compare, a_damaged_csv_is_named_with_its_line) {
  std::filesystem::resize_file(path("a/cells.csv"),
                               std::filesystem::file_size(path("a/cells.csv")) - 20);
  const Finished done = feedrate("compare a a/cells.csv");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("a/cells.csv: line 3"));
}

TEST_F(Compare, a_damaged_json_is_named) {
  cut_in_half("a/run.json");
  const Finished done = feedrate("compare a a");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("a/run.json"));
}

TEST_F(Compare, one_result_alone_is_refused) {
  EXPECT_THAT(feedrate("compare a").err, HasSubstr("needs at least two results"));
  EXPECT_EQ(feedrate("compare a").exit_code, 2);
}

}  // namespace
}  // namespace feedrate::testing
