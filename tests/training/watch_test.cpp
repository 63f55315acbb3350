// SPDX-License-Identifier: Apache-2.0
#include "training/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/made_script.h"

namespace feedrate::testing {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(Watch, a_step_loads_until_next_returns_and_trains_until_the_next_one) {
  MadeScript script(made_loader());
  script.steps(30, 35.0, 30.0);
  const WatchedLoader* const main = script.watch.main_loader();
  ASSERT_NE(main, nullptr);
  EXPECT_EQ(main->steps, 29U) << "the last step is not over";
  EXPECT_EQ(main->kept, 24U) << "the first five are discarded";
  const std::optional<StepTimes> times = step_times(*main);
  ASSERT_TRUE(times);
  EXPECT_NEAR(times->loading, 0.035, 1e-9);
  EXPECT_NEAR(times->training, 0.030, 1e-9);
  EXPECT_NEAR(times->loading_share(), 35.0 / 65.0, 1e-9);
}

// Two workers return two batches at a time: every second one is ready at once.
TEST(Watch, times_are_of_whole_turns_of_the_workers) {
  MadeScript script(made_loader(2));
  for (int i = 0; i < 41; ++i) script.step(i % 2 == 0 ? 40.0 : 0.0, 10.0);
  const std::optional<StepTimes> times = step_times(*script.watch.main_loader());
  ASSERT_TRUE(times);
  EXPECT_NEAR(times->loading, 0.020, 1e-9);
}

TEST(Watch, an_evaluation_between_two_steps_is_no_step) {
  MadeScript script(made_loader());
  script.steps(30, 10.0, 10.0);
  script.step(10.0, 60e3);
  script.steps(10, 10.0, 10.0);
  const WatchedLoader& main = *script.watch.main_loader();
  EXPECT_EQ(main.kept, 35U) << "without the first 5 and the last";
  EXPECT_THAT(steady_steps(main), SizeIs(34)) << "nor the one before the pause";
  EXPECT_LT(main.seconds, 1.0);
  EXPECT_NEAR(main.paused, 60.0 - 0.010, 1e-6);
  EXPECT_NEAR(step_times(main)->training, 0.010, 1e-6);
}

TEST(Watch, a_batch_that_takes_long_to_load_counts) {
  MadeScript script(made_loader());
  script.steps(20, 10.0, 10.0);
  script.step(5'000.0, 10.0);
  script.steps(20, 10.0, 10.0);
  EXPECT_NEAR(step_times(*script.watch.main_loader())->loading, (34 * 0.010 + 5.0) / 35, 1e-9);
}

TEST(Watch, distinguishes_first_batches_and_gaps_between_epochs_from_steps) {
  MadeScript script(made_loader());
  script.step(100.0, 10.0);
  script.steps(19, 10.0, 10.0);
  script.end();
  script.pass(500.0);
  script.begin();
  script.steps(20, 10.0, 10.0);
  const WatchedLoader& main = *script.watch.main_loader();
  ASSERT_THAT(main.epochs, SizeIs(2));
  EXPECT_NEAR(to_seconds(main.epochs.front().first_batch), 0.101, 1e-9);
  EXPECT_THAT(main.epoch_gaps, ElementsAre(DoubleNear(0.5, 1e-9)));
  EXPECT_EQ(main.first_batches.epochs, 2U);
  EXPECT_NEAR(main.first_batches.loading, 0.101 + 0.011, 1e-9);
  EXPECT_EQ(main.steps, 39U);
  EXPECT_NEAR(to_seconds(main.log[19].loading), 0.010, 1e-9);
  EXPECT_NEAR(to_seconds(main.log[20].loading), 0.011, 1e-9) << "with the second epoch's iter()";
}

TEST(Watch, a_loop_that_ends_early_loses_no_step) {
  MadeScript script(made_loader());
  script.steps(20, 10.0, 10.0);
  script.begin();
  script.steps(20, 10.0, 10.0);
  EXPECT_EQ(script.watch.main_loader()->steps, 39U) << "the last one is under way";
}

TEST(Watch, steps_after_a_switch_are_those_of_the_new_setting) {
  MadeScript script(made_loader());
  script.steps(20, 35.0, 30.0);
  script.watch.expect(1, made_loader(2));
  script.switched(1);
  script.steps(20, 5.0, 30.0);
  ASSERT_THAT(script.watch.loaders(), SizeIs(2));
  const WatchedLoader& before = script.watch.loaders().front();
  const WatchedLoader& after = script.watch.loaders().back();
  EXPECT_FALSE(before.is_current);
  EXPECT_TRUE(after.is_current);
  EXPECT_NEAR(step_times(before)->loading, 0.035, 1e-9);
  EXPECT_NEAR(step_times(after)->loading, 0.005, 1e-9);
  EXPECT_EQ(after.steps, 19U) << "prefetched batches are discarded after a switch, too";
  EXPECT_EQ(after.kept, 14U);
  EXPECT_EQ(before.batches + after.batches, 40U)
      << "the step of the switch has no times, but counts";
}

// Marks arrive in batches: some steps may be kept before the change is noticed.
TEST(Watch, knows_the_steps_before_a_setting_came_back) {
  MadeScript script(made_loader());
  script.steps(20, 35.0, 30.0);
  script.watch.expect(1, made_loader(2));
  script.switched(1);
  script.steps(20, 5.0, 30.0);
  script.watch.expect(2, made_loader());
  script.switched(2);
  script.steps(20, 35.0, 30.0);
  const WatchedLoader& own = script.watch.loaders().front();
  EXPECT_EQ(own.resumed, 19U);
  EXPECT_THAT(steady_steps(own, 0, own.resumed), SizeIs(14));
  EXPECT_THAT(steady_steps(own), SizeIs(14 + 14));
}

TEST(Watch, a_failed_switch_restores_the_scripts_own_setting) {
  MadeScript script(made_loader());
  script.steps(10, 35.0, 30.0);
  script.watch.expect(1, made_loader(2));
  script.switched(1);
  script.steps(10, 5.0, 30.0);
  script.watch.add(kConnection, ScriptSwitchFailed{kLoader, 1, "no memory"});
  script.steps(10, 35.0, 30.0);
  ASSERT_THAT(script.watch.loaders(), SizeIs(2));
  EXPECT_TRUE(script.watch.loaders().front().is_current);
  EXPECT_EQ(script.watch.loaders().front().steps, 18U);
}

TEST(Watch, the_main_loader_is_the_one_with_the_most_time_of_the_first_rank) {
  MadeScript script(made_loader());
  script.steps(20, 10.0, 10.0);
  ScriptProcess second;
  second.id = 200;
  second.rank = 1;
  second.world_size = 2;
  script.watch.add(kConnection + 1, second);
  ScriptLoader slow = made_loader_at(50);
  script.watch.add(kConnection + 1, slow);
  EXPECT_EQ(script.watch.main_loader()->loader.site, "/home/me/train.py:42");
  EXPECT_THAT(script.watch.loaders(), SizeIs(2));
}

TEST(Watch, adds_the_cpu_time_of_forked_trial_workers) {
  const ScriptFetches second{{kLoader, 0, from_seconds(1.0), from_seconds(1.0)}};
  ScriptLoader own = made_loader(1);
  own.multiprocessing_context = "fork";
  MadeScript script(own);
  script.watch.add(kConnection, second);
  EXPECT_EQ(script.watch.hidden_cpu(), 0.0) << "the script's own are its descendants";
  ScriptLoader wanted = own;
  wanted.num_workers = 2;
  script.watch.expect(1, wanted);
  script.switched(1);
  script.watch.add(kConnection, second);
  EXPECT_EQ(script.watch.hidden_cpu(), 1.0);
  wanted.multiprocessing_context = "spawn";
  script.watch.expect(2, wanted);
  script.switched(2);
  script.watch.add(kConnection, second);
  EXPECT_EQ(script.watch.hidden_cpu(), 1.0) << "as those of other start methods are";
}

TEST(Watch, ignores_marks_of_an_unknown_loader) {
  Watch watch;
  watch.add(kConnection, ScriptMarks{ScriptMark{9, 0}});
  EXPECT_EQ(watch.main_loader(), nullptr);
}

TEST(DiscardedSteps, are_the_prefetched_ones_and_at_most_half_an_epoch) {
  EXPECT_EQ(discarded_steps(made_loader()), 5U);
  EXPECT_EQ(discarded_steps(made_loader(8)), 16U);
  ScriptLoader brief = made_loader(8);
  brief.length = 10;
  EXPECT_EQ(discarded_steps(brief), 5U);
}

}  // namespace
}  // namespace feedrate::testing
