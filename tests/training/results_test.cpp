// SPDX-License-Identifier: Apache-2.0
#include "training/results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/made_script.h"
#include "training/wait_verdict.h"

namespace feedrate::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

RunResult run_of(const MadeScript& script) {
  RunResult run;
  set_cells(run, script.watch);
  return run;
}

TEST(WatchedRun, has_a_cell_per_setting_with_the_columns_of_a_sweep) {
  MadeScript script(made_loader());
  script.steps(30, 30.0, 10.0);
  script.watch.expect(1, made_loader(2));
  script.switched(1);
  script.steps(30, 0.0, 10.0);
  const RunResult run = run_of(script);
  ASSERT_THAT(run.cells, SizeIs(2));
  EXPECT_NEAR(*find_metric(run.cells[0].metrics, "samples_per_second"), 200.0, 1e-6);
  EXPECT_NEAR(*find_metric(run.cells[0].metrics, "trainer_limit"), 800.0, 1e-6);
  EXPECT_NEAR(*find_metric(run.cells[0].metrics, "stall"), 0.75, 1e-9);
  EXPECT_EQ(run.cells[1].bottleneck, "");  // No GPU was timed.
  EXPECT_EQ(text_of(run.cells[1].settings, "num_workers"), "2");
  EXPECT_EQ(text_of(run.cells[0].settings, "prefetch_factor"), "") << "it has no meaning there";
  EXPECT_THAT(run.axes,
              ElementsAre("num_workers", "prefetch_factor", "persistent_workers", "in_order"));
}

TEST(WatchedRun, has_an_interval_from_blocks_of_steps) {
  MadeScript script(made_loader());
  for (int i = 0; i < 106; ++i) script.step(i < 55 ? 10.0 : 30.0, 10.0);
  const RunResult run = run_of(script);
  ASSERT_THAT(run.cells, SizeIs(1));
  // Five blocks of 2.5 ms a sample and five of 5 ms: 3.75 ms ± t(0.975, 9) 1.3176 ms / sqrt(10).
  EXPECT_NEAR(*find_metric(run.cells[0].metrics, "samples_per_second_low"), 1e3 / 4.6925, 0.1);
  EXPECT_NEAR(*find_metric(run.cells[0].metrics, "samples_per_second_high"), 1e3 / 2.8075, 0.1);
}

// The summary, the history and the cells are views of one step log.
void expect_equal_rates(const MadeScript& script, double rate) {
  const RunResult run = run_of(script);
  const std::vector<Metric>& metrics = run.cells.at(0).metrics;
  EXPECT_NEAR(*find_metric(metrics, "samples_per_second"), rate, 1e-3);
  const StepTimes times = judge(*script.watch.main_loader()).value().times;
  EXPECT_NEAR(8.0 / times.step(), rate, 1e-3);
  EXPECT_DOUBLE_EQ(*find_metric(metrics, "step_time"), times.step());
  const HistorySegment segment = histories(script.watch).at(0).segments.at(0);
  EXPECT_NEAR(segment.samples_per_second.value(), rate, 1e-3);
  EXPECT_NEAR(segment.times->loading, times.loading, 1e-7);
}

TEST(WatchedRun, has_one_rate_after_a_pause) {
  MadeScript script(made_loader());
  script.steps(105, 10.0, 10.0);
  script.step(10.0, 60e3);
  script.steps(101, 10.0, 10.0);
  expect_equal_rates(script, 400.0);
}

TEST(WatchedRun, has_one_rate_of_whole_turns_and_epochs) {
  MadeScript script(made_loader(4));
  for (int epoch = 0; epoch < 3; ++epoch) {
    if (epoch > 0) script.begin();
    for (int i = 0; i < 101; ++i) script.step(i % 4 == 0 ? 31.0 : 0.0, 10.0);
    script.end(120.0);
  }
  const StepSums& sums = script.watch.main_loader()->sums;
  ASSERT_EQ(sums.steps % 4, 0U);
  expect_equal_rates(script, *rate_of(sums));
}

TEST(WatchedRun, has_one_rate_of_more_steps_than_are_kept) {
  MadeScript script(made_loader());
  for (int i = 0; i < 120'006; ++i) script.step(i < 60'005 ? 10.0 : 20.0, 10.0);
  expect_equal_rates(script, 8.0 / 0.025);
}

TEST(WatchedRun, has_no_interval_of_too_few_steps) {
  MadeScript script(made_loader());
  script.steps(15, 10.0, 10.0);
  const RunResult run = run_of(script);
  EXPECT_EQ(find_metric(run.cells[0].metrics, "samples_per_second_high"), nullptr);
}

TEST(WatchedRun, has_the_costs_of_workers_and_gpu) {
  MadeScript script(made_loader(2));
  script.steps(30, 10.0, 10.0);
  script.tell(ScriptFetches{{kLoader, 0, from_seconds(0.04), from_seconds(0.01)},
                            {kLoader, 1, from_seconds(0.06), from_seconds(0.03)}});
  script.tell(ScriptSpans{{kLoader, 0, 20, Nanos(0), from_seconds(0.008)}});
  const RunResult run = run_of(script);
  const std::vector<Metric>& metrics = run.cells.at(0).metrics;
  EXPECT_NEAR(*find_metric(metrics, "fetch_time"), 0.05 / 8, 1e-9);
  EXPECT_NEAR(*find_metric(metrics, "fetch_cpu_time"), 0.02 / 8, 1e-9);
  EXPECT_NEAR(*find_metric(metrics, "compute_time_device"), 0.008, 1e-9);
}

TEST(WatchedRun, has_no_metrics_that_were_not_measured) {
  MadeScript script(made_loader());
  script.steps(30, 10.0, 10.0);
  const RunResult run = run_of(script);
  for (const auto* const metrics : {&run.cells[0].metrics, &run.cells[0].repeats[0].metrics}) {
    EXPECT_EQ(find_metric(*metrics, "copy_time"), nullptr);
    EXPECT_EQ(find_metric(*metrics, "cpu_time"), nullptr);
  }
}

TEST(WatchedRun, has_a_failed_cell_of_too_few_steps_or_of_steps_without_time) {
  MadeScript few(made_loader()), timeless(made_loader());
  few.steps(3, 30.0, 10.0);
  timeless.steps(30, 0.0, 0.0);
  for (const MadeScript* const script : {&few, &timeless}) {
    const RunResult run = run_of(*script);
    ASSERT_THAT(run.cells, SizeIs(1));
    EXPECT_EQ(run.cells[0].outcome, Outcome::kFailed);
  }
}

}  // namespace
}  // namespace feedrate::testing
