// SPDX-License-Identifier: Apache-2.0
#include <fstream>

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
  EXPECT_THAT(succeeds("compare a a").out, AllOf(HasSubstr("1.000"), HasSubstr("no regression")));
}

TEST_F(Compare, writes_the_cells_into_a_file_too) {
  prepare("compare a a --csv cells.csv");
  EXPECT_EQ(read("cells.csv"), feedrate("compare a a --format csv").out);
}

TEST_F(Compare, results_are_not_replaced_by_outputs) {
  const std::string cells = read("a/cells.csv"), run = read("a/run.json");
  for (const char* command : {"compare a base.csv --csv base.csv", "compare a a --csv a/cells.csv",
                              "report a -o a/run.json", "report base.csv -o ./base.csv"}) {
    refuses(command, {"would replace its own input"});
  }
  EXPECT_EQ(read("a/cells.csv"), cells);
  EXPECT_EQ(read("a/run.json"), run);
}

TEST_F(Compare, half_the_rate_is_a_regression_in_each_format_and_not_within_the_threshold) {
  write_scaled("slower.csv", 0.5);
  for (const auto& [options, part] : std::vector<std::pair<std::string, std::string>>{
           {"", "0.500"},
           {"--format csv", "\n1,base.csv,slower.csv,"},
           {"--format markdown", "|:----"},
           {"--json", "\"has_regression\": true"}}) {
    const Finished done = feedrate("compare base.csv slower.csv " + options);
    EXPECT_EQ(done.exit_code, 3) << options;
    EXPECT_THAT(done.out, HasSubstr(part)) << options;
  }
  prepare("compare base.csv slower.csv --threshold 0.6");
}

TEST_F(Compare, its_files_may_go_to_standard_output) {
  std::filesystem::create_symlink("/proc/self/fd/1", path("out"));  // as /dev/stdout is
  EXPECT_THAT(succeeds("compare a a --csv out").out, HasSubstr("\n1,a,a,"));
  EXPECT_TRUE(std::filesystem::is_symlink(path("out")));
}

TEST_F(Compare, a_result_without_common_cells_is_named) {
  prepare("sweep s.yaml --axis batch_size=2 --out other");
  refuses("compare a a other", {"a and other have no measured cell in common"});
}

TEST_F(Compare, cells_are_matched_without_ignored_settings) {
  prepare("sweep s.yaml --axis batch_size=2 --out other");
  EXPECT_THAT(succeeds("compare a other --ignore batch_size,reference_batch --threshold 0.99").out,
              HasSubstr("batch_size: 4 in A, 2 in B"));
}

TEST_F(Compare, folder_json_and_csv_of_one_run_are_equal) {
  prepare("compare a/run.json a/cells.csv");
}

TEST_F(Compare, refuses_one_result_alone_and_an_unknown_format) {
  refuses("compare a", {"needs at least two results"});
  refuses("compare a a --format xml", {"must be table, csv, json or markdown"});
}

}  // namespace
}  // namespace feedrate::testing
