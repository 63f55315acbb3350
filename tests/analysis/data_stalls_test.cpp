// SPDX-License-Identifier: Apache-2.0
#include "analysis/data_stalls.h"

#include <gtest/gtest.h>

#include "analysis/limits.h"
#include "tests/analysis/report/sample_run.h"

namespace feedrate {
namespace {

Settings settings_with(const char* cache, std::int64_t num_workers,
                       const char* loader = "dataloader") {
  return {{"loader", std::string(loader)},
          {"trainer", std::string("burn")},
          {"cache", std::string(cache)},
          {"batch_size", std::int64_t{100}},
          {"num_workers", num_workers}};
}

double metric_of(const CellResult& cell, const char* tag) {
  const double* const value = find_metric(cell.metrics, tag);
  return value == nullptr ? -1.0 : *value;
}

// Per sample: 0.25 ms of training, 1 ms with a warm and 2.5 ms with a cold cache.
RunResult warm_and_cold() {
  RunResult run;
  run.cells = {measured_cell(0, settings_with("warm", 2), 1000.0),
               measured_cell(1, settings_with("cold", 2), 400.0),
               measured_cell(2, settings_with("", 0, "cached"), 4000.0)};
  return run;
}

TEST(AddDataStalls, splits_a_step_into_preparing_and_fetching) {
  RunResult run = warm_and_cold();
  judge_by_limits(run);
  for (const std::size_t cell : {0U, 1U}) {
    EXPECT_DOUBLE_EQ(metric_of(run.cells[cell], "prep_stall"), 0.75);
    EXPECT_DOUBLE_EQ(metric_of(run.cells[cell], "fetch_stall"), 0.6);
  }
  EXPECT_DOUBLE_EQ(metric_of(run.cells[2], "prep_stall"), -1.0);
}

TEST(AddDataStalls, knows_no_fetch_stall_without_a_counterpart) {
  RunResult run = warm_and_cold();
  run.cells[1] = measured_cell(1, settings_with("cold", 3), 400.0);
  judge_by_limits(run);
  EXPECT_DOUBLE_EQ(metric_of(run.cells[0], "prep_stall"), 0.75);
  EXPECT_DOUBLE_EQ(metric_of(run.cells[0], "fetch_stall"), -1.0);
  EXPECT_DOUBLE_EQ(metric_of(run.cells[1], "prep_stall"), -1.0);
  EXPECT_DOUBLE_EQ(metric_of(run.cells[1], "fetch_stall"), -1.0);
}

TEST(AddDataStalls, knows_no_prep_stall_without_the_trainers_limit) {
  RunResult run = warm_and_cold();
  run.cells.pop_back();
  judge_by_limits(run);
  EXPECT_DOUBLE_EQ(metric_of(run.cells[1], "prep_stall"), -1.0);
  EXPECT_DOUBLE_EQ(metric_of(run.cells[1], "fetch_stall"), 0.6);
}

TEST(AddDataStalls, leaves_cells_alone_whose_cache_is_as_it_is) {
  RunResult run = warm_and_cold();
  run.cells[0] = measured_cell(0, settings_with("as-is", 2), 1000.0);
  judge_by_limits(run);
  EXPECT_DOUBLE_EQ(metric_of(run.cells[0], "prep_stall"), -1.0);
}

TEST(AddDataStalls, leaves_mocks_alone) {
  RunResult run = warm_and_cold();
  for (const std::size_t cell : {0U, 1U})
    run.cells[cell].settings[1].value = std::string("discard");
  judge_by_limits(run);
  EXPECT_DOUBLE_EQ(metric_of(run.cells[0], "fetch_stall"), -1.0);
}

TEST(AddDataStalls, leaves_failed_cells_out) {
  RunResult run = warm_and_cold();
  run.cells[1].outcome = Outcome::kFailed;
  judge_by_limits(run);
  EXPECT_DOUBLE_EQ(metric_of(run.cells[0], "fetch_stall"), -1.0);
}

TEST(AddDataStalls, is_never_negative) {
  RunResult run = warm_and_cold();
  run.cells[1] = measured_cell(1, settings_with("cold", 2), 1010.0);
  run.cells[2] = measured_cell(2, settings_with("", 0, "cached"), 990.0);
  judge_by_limits(run);
  EXPECT_DOUBLE_EQ(metric_of(run.cells[0], "prep_stall"), 0.0);
  EXPECT_DOUBLE_EQ(metric_of(run.cells[0], "fetch_stall"), 0.0);
}

TEST(AddDataStalls, replaces_what_was_there) {
  RunResult run = warm_and_cold();
  judge_by_limits(run);
  const std::size_t count = run.cells[0].metrics.size();
  judge_by_limits(run);
  EXPECT_EQ(run.cells[0].metrics.size(), count);
}

}  // namespace
}  // namespace feedrate
