// SPDX-License-Identifier: Apache-2.0
#include "training/results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/made_script.h"

namespace feedrate::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(WatchedRun, has_a_cell_for_each_setting_with_the_columns_of_a_sweep) {
  MadeScript script(made_loader());
  script.steps(30, 30.0, 10.0);
  script.watch.expect(1, made_loader(2));
  script.switched(1);
  script.steps(30, 0.0, 10.0);
  RunResult run;
  set_cells(run, script.watch);
  ASSERT_THAT(run.cells, SizeIs(2));
  EXPECT_NEAR(*find_metric(run.cells[0].metrics, "samples_per_second"), 200.0, 1e-6);
  EXPECT_NEAR(*find_metric(run.cells[0].metrics, "trainer_limit"), 800.0, 1e-6);
  EXPECT_NEAR(*find_metric(run.cells[0].metrics, "stall"), 0.75, 1e-9);
  EXPECT_EQ(run.cells[1].bottleneck, "GPU");
  EXPECT_EQ(text_of(run.cells[1].settings, "num_workers"), "2");
  EXPECT_EQ(text_of(run.cells[0].settings, "prefetch_factor"), "") << "it means nothing there";
  EXPECT_THAT(run.axes,
              ElementsAre("num_workers", "prefetch_factor", "persistent_workers", "in_order"));
}

TEST(WatchedRun, a_loader_with_too_few_steps_is_a_failed_cell) {
  MadeScript script(made_loader());
  script.steps(3, 30.0, 10.0);
  RunResult run;
  set_cells(run, script.watch);
  ASSERT_THAT(run.cells, SizeIs(1));
  EXPECT_EQ(run.cells[0].outcome, Outcome::kFailed);
}

}  // namespace
}  // namespace feedrate::testing
