// SPDX-License-Identifier: Apache-2.0
// Verdicts on the loops of real trainings, as a stopwatch in them would give them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/made_script.h"
#include "training/verdict.h"

namespace feedrate::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StrEq;

constexpr std::size_t kOther = 50;

LoaderVerdict main_verdict(const MadeScript& script) {
  const WatchedLoader* const main = script.watch.main_loader();
  return main == nullptr ? LoaderVerdict{} : judge(*main).value_or(LoaderVerdict{});
}

// Eight batches of 10 ms, then eight trainings of 25 ms.
void take_groups(MadeScript& script, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    script.steps(7, 10.0, 0.02);
    script.step(10.0, 200.0);
  }
}

TEST(Loop, that_takes_its_batches_in_groups_has_the_group_as_its_step) {
  MadeScript script(made_loader());
  take_groups(script, 100);
  const LoaderVerdict verdict = main_verdict(script);
  EXPECT_EQ(verdict.batches_per_step, 8U);
  EXPECT_NEAR(verdict.times.loading, 0.080, 1e-9);
  EXPECT_NEAR(verdict.times.training, 0.20014, 2e-3) << "99 groups, and the end of the first one";
  EXPECT_NEAR(verdict.stall, 80.0 / 280.14, 0.01);
  EXPECT_NEAR(verdict.paused, 0.0, 1e-9);
}

TEST(Loop, that_takes_its_batches_in_groups_does_not_count_one_that_is_under_way) {
  MadeScript script(made_loader());
  take_groups(script, 2);
  script.step(10.0, 0.02);
  const double stall = main_verdict(script).stall;
  script.steps(6, 10.0, 0.02);
  EXPECT_NEAR(main_verdict(script).stall, stall, 1e-9);
}

TEST(Loop, that_takes_its_batches_in_groups_has_whole_ones_at_all_settings) {
  MadeScript script(made_loader());
  script.watch.expect(1, made_loader(2));
  take_groups(script, 2);
  script.switched(1);
  take_groups(script, 10);
  ASSERT_THAT(script.watch.loaders(), SizeIs(2));
  for (const WatchedLoader& watched : script.watch.loaders()) {
    EXPECT_EQ(watched.batches_per_step, 8U);
  }
  EXPECT_NEAR(judge(script.watch.loaders().back())->stall, 80.0 / 280.14, 1e-6);
}

// Of eight steps the last one updates the weights, too.
TEST(Loop, whose_every_eighth_step_is_longer_has_single_batches) {
  MadeScript script(made_loader());
  for (int i = 0; i < 800; ++i) script.step(10.0, i % 8 == 7 ? 165.0 : 5.0);
  const LoaderVerdict verdict = main_verdict(script);
  EXPECT_EQ(verdict.batches_per_step, 1U);
  EXPECT_NEAR(verdict.times.training, 0.025, 0.0005);
  EXPECT_NEAR(verdict.stall, 10.0 / 35.0, 0.01);
}

TEST(Loop, that_loads_in_bursts_waits_for_their_sum) {
  MadeScript script(made_loader());
  for (int i = 0; i < 320; ++i) script.step(i % 16 == 0 ? 600.0 : 0.3, 12.0);
  EXPECT_NEAR(main_verdict(script).stall, (600.0 + 15 * 0.3) / (600.0 + 15 * 0.3 + 16 * 12.0),
              0.01);
}

// 9 and 3 ms of loading, 6 ms of training.
void zip(MadeScript& script, std::size_t steps) {
  for (std::size_t i = 0; i < steps; ++i) {
    script.use(kOther);
    script.step(3.0, 0.0);
    script.use(kLoader);
    script.step(9.0, 6.0);
  }
}

TEST(Loop, over_two_loaders_at_a_time_waits_for_both) {
  MadeScript script(made_loader());
  script.tell(made_loader_at(kOther));
  script.use(kOther);
  script.begin();
  zip(script, 200);
  const WatchedLoader* const main = script.watch.main_loader();
  EXPECT_EQ(main->loader.number, kLoader) << "the slower one";
  const LoaderVerdict verdict = *judge(*main);
  EXPECT_NEAR(verdict.times.loading, 0.012, 1e-6);
  EXPECT_NEAR(verdict.times.training, 0.006, 1e-6);
  EXPECT_NEAR(verdict.most_to_win(), 3.0, 0.01);
  ASSERT_THAT(verdict.parts, SizeIs(2));
  EXPECT_EQ(verdict.parts[0].loader, main);
  EXPECT_NEAR(verdict.parts[0].loading, 0.009, 1e-6);
  EXPECT_EQ(verdict.parts[1].loader->loader.number, kOther);
  EXPECT_NEAR(verdict.parts[1].loading, 0.003, 1e-6);
  EXPECT_NEAR(verdict.paused, 0.0, 1e-9);
  const LoaderVerdict other = *judge(*verdict.parts[1].loader);
  EXPECT_NEAR(other.times.loading, 0.012, 1e-6) << "from either one";
  EXPECT_NEAR(other.times.training, 0.006, 1e-6);
}

// A critic takes five batches for each batch of the generator.
TEST(Loop, over_several_batches_of_one_loader_for_each_of_the_other_waits_for_both) {
  MadeScript script(made_loader());
  script.tell(made_loader_at(kOther));
  script.use(kOther);
  script.begin();
  for (int i = 0; i < 100; ++i) {
    script.use(kLoader);
    script.steps(5, 10.0, 4.0);
    script.use(kOther);
    script.step(20.0, 10.0);
  }
  const WatchedLoader& one = script.watch.loaders().front();
  const LoaderVerdict verdict = *judge(one);
  EXPECT_NEAR(verdict.times.loading_share(), 70.0 / 100.0, 0.01);
  EXPECT_THAT(verdict.parts, SizeIs(2));
  EXPECT_NEAR(verdict.paused, 0.0, 1e-9);
}

// Each 50 steps 16 batches of 5 + 64 ms, and a checkpoint of 100 ms.
TEST(Loop, that_validates_now_and_then_has_pauses) {
  MadeScript script(made_loader());
  script.tell(made_loader_at(kOther));
  for (int round = 0; round < 6; ++round) {
    script.use(kLoader);
    script.steps(50, 64.0, 20.0);
    script.use(kOther);
    script.begin();
    script.steps(16, 64.0, 5.0);
    script.pass(100.0);
  }
  script.use(kLoader);
  script.steps(10, 64.0, 20.0);
  const WatchedLoader* const main = script.watch.main_loader();
  EXPECT_EQ(main->loader.number, kLoader);
  const LoaderVerdict verdict = *judge(*main);
  EXPECT_THAT(verdict.parts, IsEmpty());
  EXPECT_NEAR(verdict.stall, 64.0 / 84.0, 1e-6);
  EXPECT_NEAR(verdict.paused, 6 * (0.001 + 16 * 0.069 + 0.100), 1e-6);
}

// A loader that another one takes from is asked within its next().
TEST(Loop, over_a_loader_that_takes_from_another_one_has_no_pauses) {
  MadeScript script(made_loader());
  script.tell(made_loader_at(kOther));
  script.use(kOther);
  script.begin();
  for (int i = 0; i < 100; ++i) {
    script.use(kOther);
    script.pass(1.0);  // Of the outer one's next().
    script.step(8.0, 1.0);
    script.use(kLoader);
    script.step_until_now(10.0, 20.0);
  }
  const LoaderVerdict verdict = *judge(script.watch.loaders().front());
  EXPECT_NEAR(verdict.times.loading, 0.010, 1e-6);
  EXPECT_NEAR(verdict.times.training, 0.020, 1e-6);
  EXPECT_THAT(verdict.parts, IsEmpty());
}

// It fills a queue, from which the training takes.
TEST(Loop, in_a_thread_that_trains_nothing_claims_nothing) {
  MadeScript script(made_loader());
  script.use(kLoader, 4711);
  script.begin();
  script.steps(100, 25.0, 0.05);
  const LoaderVerdict verdict = main_verdict(script);
  EXPECT_TRUE(verdict.is_taken_by_a_thread);
  EXPECT_EQ(verdict.most_to_win(), 1.0);
  EXPECT_THAT(bound_name(verdict), StrEq("UNKNOWN"));
}

TEST(Loop, in_a_thread_that_trains_is_like_any_other) {
  MadeScript script(made_loader());
  script.tell(made_loader_at(kOther));
  script.use(kLoader, 4711);
  script.begin();
  script.use(kOther, 4712);
  script.begin();
  for (int i = 0; i < 250; ++i) {  // By turns: the other one's times count for each.
    script.use(kLoader, 4711);
    script.step(4.0, 1.0);
    script.use(kOther, 4712);
    script.step(4.0, 1.0);
  }
  for (const WatchedLoader& watched : script.watch.loaders()) {
    const LoaderVerdict verdict = *judge(watched);
    EXPECT_EQ(watched.batches, 250U);
    EXPECT_FALSE(verdict.is_taken_by_a_thread);
    EXPECT_THAT(verdict.parts, IsEmpty()) << "each thread has a step of its own";
    EXPECT_NEAR(verdict.paused, 0.0, 1e-9);
    EXPECT_NEAR(verdict.stall, 0.4, 0.01);
  }
}

// The workers stop where the iterator is dropped, before the training goes on.
TEST(Loop, that_drops_an_iterator_for_each_step_waits_for_that_too) {
  MadeScript script(made_loader(2));
  for (int i = 0; i < 150; ++i) {
    if (i > 0) script.begin();
    script.step(94.0, 0.0);
    script.leave(70.0);
    script.pass(15.0);
  }
  const LoaderVerdict verdict = main_verdict(script);
  EXPECT_NEAR(verdict.times.loading, 0.095 + 0.070, 1e-6);
  EXPECT_NEAR(verdict.times.training, 0.015, 1e-6);
}

TEST(Loop, of_short_epochs_waits_for_their_ends) {
  MadeScript script(made_loader(2));
  for (int epoch = 0; epoch < 41; ++epoch) {
    if (epoch > 0) script.begin();
    script.steps(10, 0.0, 10.0);
    script.end(100.0);
  }
  const LoaderVerdict verdict = main_verdict(script);
  EXPECT_TRUE(verdict.has_first_batches);
  EXPECT_NEAR(verdict.stall, 0.5, 0.01);
}

// next(iter(loader)) starts workers for each step.
TEST(Loop, that_begins_an_epoch_for_each_step_waits_for_their_begin) {
  MadeScript script(made_loader(2));
  script.step(94.0, 15.0);
  for (int i = 0; i < 149; ++i) {
    script.begin();
    script.step(94.0, 15.0);
  }
  const LoaderVerdict verdict = main_verdict(script);
  EXPECT_TRUE(verdict.has_first_batches);
  EXPECT_NEAR(verdict.times.loading, 0.095, 1e-6) << "iter() takes 1 ms";
  EXPECT_NEAR(verdict.times.training, 0.015, 1e-6);
}

TEST(Loop, of_short_epochs_waits_for_their_first_batches) {
  MadeScript script(made_loader(2));
  for (int epoch = 0; epoch < 40; ++epoch) {
    if (epoch > 0) script.begin();
    script.step(99.0, 12.0);
    script.steps(23, 0.0, 12.0);
    script.end();
  }
  const LoaderVerdict verdict = main_verdict(script);
  EXPECT_TRUE(verdict.has_first_batches);
  EXPECT_NEAR(verdict.stall, 100.0 / (100.0 + 24 * 12.0), 0.005);
}

TEST(Loop, of_one_long_epoch_is_judged_without_its_begin) {
  MadeScript script(made_loader(2));
  script.step(900.0, 12.0);
  script.steps(200, 1.0, 9.0);
  const LoaderVerdict verdict = main_verdict(script);
  EXPECT_FALSE(verdict.has_first_batches);
  EXPECT_NEAR(verdict.stall, 0.1, 1e-6);
}

// A new object each round, in the same group.
TEST(Loop, over_a_loader_that_is_made_anew_is_one_over_one_loader) {
  MadeScript script(made_loader());
  script.steps(40, 10.0, 10.0);
  script.end();
  for (std::size_t round = 1; round < 200; ++round) {
    ScriptLoader next = made_loader();
    next.number = 1000 + round;
    next.length = 40 + round;
    script.tell(next);
    script.use(next.number);
    script.begin();
    script.steps(40, 10.0, 10.0);
    script.end();
  }
  ASSERT_THAT(script.watch.loaders(), SizeIs(1));
  EXPECT_EQ(script.watch.main_loader()->batches, 200U * 40U);
  const auto targets = script.watch.targets(*script.watch.main_loader());
  ASSERT_THAT(targets, SizeIs(1));
  EXPECT_EQ(targets.front().loader, 1199U) << "the newest one";
  EXPECT_EQ(targets.front().batches, 40U);
}

TEST(Loop, whose_batch_size_changes_is_judged_by_what_took_the_most_time) {
  MadeScript script(made_loader());
  script.steps(160, 8.0, 5.0);
  script.end();
  ScriptLoader larger = made_loader();
  larger.number = 4;
  larger.batch_size = 16;
  script.tell(larger);
  script.use(4);
  script.begin();
  script.steps(400, 16.0, 5.0);
  ASSERT_THAT(script.watch.loaders(), SizeIs(2));
  EXPECT_EQ(script.watch.main_loader()->loader.batch_size, 16U);
  EXPECT_TRUE(is_one_loader(script.watch.loaders().front().loader, larger));
}

// A loop that evaluates by other means, each 30 steps, trains less often.
TEST(Loop, whose_long_gaps_come_again_soon_has_no_pauses) {
  MadeScript script(made_loader());
  for (int i = 0; i < 600; ++i) script.step(10.0, i % 30 == 29 ? 6'000.0 : 10.0);
  const LoaderVerdict verdict = main_verdict(script);
  EXPECT_NEAR(verdict.paused, 0.0, 0.1);
  EXPECT_NEAR(verdict.times.training, (29 * 0.010 + 6.0) / 30, 0.01);
}

TEST(Loop, that_validates_gives_no_span_of_the_gpu_over_the_pause) {
  MadeScript script(made_loader());
  script.tell(made_loader_at(kOther));
  script.steps(30, 10.0, 10.0);
  script.use(kOther);
  script.begin();
  script.steps(16, 64.0, 5.0);
  script.use(kLoader);
  script.steps(30, 10.0, 10.0);
  for (std::size_t step = 6; step < 60; ++step) {
    const double idle = step == 30 ? 1.1 : 0.010;
    script.tell(ScriptSpans{{kLoader, 0, step, from_seconds(idle), from_seconds(0.010)}});
  }
  EXPECT_NEAR(*main_verdict(script).gpu_idle, 0.5, 1e-9);
}

TEST(Loop, of_days_is_kept_in_bounded_memory) {
  MadeScript script(made_loader());
  for (int epoch = 0; epoch < 3'000; ++epoch) {
    script.begin();
    script.steps(50, 1.0, 1.0);
    script.tell(ScriptSpans{{kLoader, 0, 49, Nanos(1), Nanos(1)}});
    script.end();
  }
  const WatchedLoader& main = *script.watch.main_loader();
  EXPECT_LE(main.log.size(), 100'000U);
  EXPECT_LE(steady_steps(main).size(), 8'192U);
  EXPECT_LE(main.epochs.size(), 1'024U);
  EXPECT_LE(main.epoch_gaps.size(), 1'024U);
  EXPECT_EQ(main.sums.steps, 150'000U - 5U) << "sums forget nothing";
}

TEST(Watch, keeps_what_a_script_says_of_a_loader) {
  MadeScript script(made_loader());
  script.tell(ScriptLimit{kLoader, 4, "labels are kept"});
  script.tell(ScriptAudit{kLoader, 6, ""});
  script.tell(ScriptAudit{kLoader, 12, "batch 14"});
  script.tell(ScriptNote{kLoader, "a note"});
  script.tell(ScriptNote{kLoader, "a note"});
  script.tell(ScriptWorkers{kLoader, {12, 13}});
  ScriptLoader next = made_loader();
  next.number = 4;
  script.tell(next);
  script.tell(ScriptAudit{4, 2, ""});
  const WatchedLoader& main = script.watch.loaders().front();
  const Watch::Remarks& remarks = script.watch.remarks(main);
  EXPECT_EQ(remarks.limit->most_outstanding, 4U);
  EXPECT_EQ(remarks.audited, 14U) << "of both objects";
  EXPECT_EQ(remarks.difference, "batch 14");
  EXPECT_THAT(remarks.notes, ::testing::ElementsAre("a note"));
  EXPECT_THAT(main.workers, ::testing::ElementsAre(12, 13));
}

}  // namespace
}  // namespace feedrate::testing
