// SPDX-License-Identifier: Apache-2.0
// Checks the model with recorded sweeps of both engines: results/. docs/tune.md has the figures.
#include "analysis/tuner/model_check.h"

#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/report/load_run.h"
#include "tests/analysis/tuner/synthetic_world.h"

namespace feedrate {
namespace {

constexpr double kCpus = 2.0;

std::string recorded(const char* name) {
  return std::string(FEEDRATE_SOURCE_DIR "/results/epyc-2cpu-sim-a100-pcie4/") + name;
}

class recorded_sweep : public ::testing::TestWithParam<const char*> {};

TEST_P(recorded_sweep, is_predicted_from_a_few_of_its_cells) {
  const RunResult run = load_run(recorded(GetParam()));
  const std::vector<CheckedCell> cells = check_model(run, kCpus);
  EXPECT_GT(cells.size(), 100);
  EXPECT_LE(median_error(cells, false), 0.05);
  EXPECT_LE(median_error(cells, true), 0.10);
}

INSTANTIATE_TEST_SUITE_P(jpeg_and_png, recorded_sweep,
                         ::testing::Values("2026-11-21-agreement-jpeg",
                                           "2026-11-21-agreement-png"));

TEST(model_check, holds_out_all_but_a_few_probes) {
  BatchCosts costs;
  costs.inline_load = costs.worker_load = 0.010;
  costs.compute = 0.008;
  testing::SyntheticWorld world(costs, {.count = kCpus}, 0.0, 0.0, 1);
  RunResult run;
  for (const Settings& settings : testing::small_grid({0, 1, 2, 4})) {
    run.cells.push_back(testing::cell_with(settings));
    world.measure(run.cells.back());
  }
  run.cells.push_back(testing::cell_with(testing::settings_with(3, 2, false)));
  const std::vector<CheckedCell> cells = check_model(run, kCpus);
  EXPECT_EQ(cells.size(), run.cells.size() - 1);
  EXPECT_EQ(std::count_if(cells.begin(), cells.end(), [](const auto& c) { return c.is_probe; }), 6);
  EXPECT_LE(median_error(cells, false), 0.02);
  std::ostringstream out;
  print_model_check(out, cells);
  EXPECT_THAT(out.str(), ::testing::HasSubstr("14 held-out cells: error of step_time median"));
}

}  // namespace
}  // namespace feedrate
