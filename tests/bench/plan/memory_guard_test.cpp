// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/memory_guard.h"

#include "bench/plan/plan.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

RunResult run_of(const char* loader) {
  const SweepConfig config = parse_config(
      std::string("dataset: {path: x}\ndevice: {name: 'sim:h200'}\n") + loader, "s.yaml");
  RunResult run;
  for (const Cell& cell : make_plan(config, {})) {
    CellResult& result = run.cells.emplace_back();
    result.index = cell.index;
    result.settings = cell.settings;
  }
  return run;
}

// 12 outstanding batches and the current one need more than 13 MB.
TEST(MemoryGuard, skips_cells_that_need_more_than_a_tiny_limit) {
  RunResult run = run_of("loader: {batch_size: 1000, num_workers: [0, 6]}");
  MemoryGuard(0, 1000, {{}, 10'000'000, {}}).skip_what_does_not_fit(run);
  EXPECT_EQ(run.cells[0].outcome, Outcome::kPending);
  EXPECT_EQ(run.cells[1].outcome, Outcome::kSkipped);
  EXPECT_THAT(run.cells[1].reason, HasSubstr("/dev/shm: needs 13.2 MB, available 10.0 MB"));
}

TEST(MemoryGuard, skips_nothing_if_the_sample_size_is_unknown) {
  RunResult run = run_of("loader: {num_workers: 6}");
  MemoryGuard(0, 0, {1, 1, 1}).skip_what_does_not_fit(run);
  EXPECT_EQ(run.cells[0].outcome, Outcome::kPending);
}

TEST(MemoryGuard, skips_nothing_if_the_memory_may_grow) {
  MemoryInfo info;
  info.available = 50;
  EXPECT_GT(available_memory(info).host.value_or(0), 50U);
  MemoryInfo growing = info;
  growing.may_grow = true;
  EXPECT_EQ(available_memory(growing).host, std::nullopt);
  growing.cgroup_limit = 70;
  EXPECT_EQ(available_memory(growing).host, 70U);
}

TEST(MemoryGuard, adds_its_prediction_to_the_measurement_once) {
  CellResult cell = run_of("loader: {batch_size: 10, pin_memory: true}").cells[0];
  const MemoryGuard guard(0, 1000, {});
  guard.add_prediction(cell);
  EXPECT_TRUE(cell.metrics.empty());
  cell.outcome = Outcome::kOk;
  guard.add_prediction(cell);
  guard.add_prediction(cell);
  ASSERT_EQ(cell.metrics.size(), 2U);
  EXPECT_GT(*find_metric(cell.metrics, "memory_predicted"), 16'384.0);
  EXPECT_DOUBLE_EQ(*find_metric(cell.metrics, "pinned_memory_predicted"), 16'384.0);
}

}  // namespace
}  // namespace feedrate
