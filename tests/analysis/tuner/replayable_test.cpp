// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/replayable.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/tuner/synthetic_world.h"
#include "tests/support/error_of.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;

RunResult run_with(const std::string& name, const SettingValue& value) {
  RunResult run;
  CellResult& cell = run.cells.emplace_back(testing::cell_with(testing::settings_with(2, 2, true)));
  cell.outcome = Outcome::kOk;
  for (Setting& setting : cell.settings) {
    if (setting.name == name) setting.value = value;
  }
  return run;
}

std::string problem_of(const RunResult& run) {
  return testing::error_of([&] { require_replayable(run, "a.csv"); });
}

TEST(Replayable, accepts_the_results_of_a_sweep) {
  EXPECT_EQ(problem_of(run_with("num_workers", std::int64_t{4})), "no error");
}

TEST(Replayable, refuses_a_cell_without_a_batch_size) {
  EXPECT_EQ(problem_of(run_with("batch_size", std::string())),
            "a.csv: cell 0: batch_size: is missing; must be the samples of a batch");
}

TEST(Replayable, refuses_counts_out_of_range) {
  for (const SettingValue& wrong :
       {SettingValue(std::int64_t{-4}), SettingValue(std::numeric_limits<std::int64_t>::max()),
        SettingValue(std::nan("")), SettingValue(2.5), SettingValue(std::string("many"))}) {
    EXPECT_THAT(problem_of(run_with("num_workers", wrong)), HasSubstr("cell 0: num_workers: is "));
    EXPECT_THAT(problem_of(run_with("batch_size", wrong)), HasSubstr("batch_size"));
  }
  EXPECT_THAT(problem_of(run_with("prefetch_factor", std::int64_t{100'000})),
              HasSubstr("prefetch_factor"));
}

TEST(Replayable, refuses_metrics_out_of_range) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const Metric& wrong : std::vector<Metric>{{"step_time", -0.1},
                                                 {"step_time", 1e30},
                                                 {"step_time", kInfinity},
                                                 {"samples_per_second", 0.0},
                                                 {"samples_per_second", std::nan("")},
                                                 {"samples_per_second", kInfinity}}) {
    RunResult run = run_with("num_workers", std::int64_t{2});
    run.cells[0].metrics = {wrong};
    EXPECT_THAT(problem_of(run), HasSubstr("cell 0: " + wrong.tag + ": is "));
  }
}

TEST(Replayable, ignores_cells_without_a_measurement) {
  RunResult run = run_with("num_workers", std::int64_t{-4});
  run.cells[0].outcome = Outcome::kSkipped;
  EXPECT_EQ(problem_of(run), "no error");
}

}  // namespace
}  // namespace feedrate
