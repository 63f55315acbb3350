// SPDX-License-Identifier: Apache-2.0
// Verdicts on the loops of real trainings, compared with a stopwatch in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/made_script.h"
#include "training/results.h"
#include "training/wait_verdict.h"

namespace feedrate::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StrEq;

constexpr std::size_t kOther = 50;

WaitVerdict main_verdict(const MadeScript& script) {
  const WatchedLoader* const main = script.watch.main_loader();
  return main == nullptr ? WaitVerdict{} : judge(*main).value_or(WaitVerdict{});
}

// Eight batches of 10 ms, then eight trainings of 25 ms.
void take_groups(MadeScript& script, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    script.steps(7, 10.0, 0.02);
    script.step(10.0, 200.0);
  }
}

// Epochs of equal steps, but for each `every`th one. Times are milliseconds.
struct LoopCase {
  const char* name;
  std::size_t workers = 0;
  int epochs = 1;
  int steps = 0;
  double loading = 0.0;
  double training = 0.0;
  int every = 0;
  double long_loading = 0.0;
  double long_training = 0.0;
  double first = 0.0;  // Loading of an epoch's first batch beyond that of others.
  double left = 0.0;   // Time to drop the iterator in each step.
  std::optional<double> end = {};
  double expected_loading = 0.0;
  double expected_training = 0.0;
  double tolerance = 1e-3;
  bool has_first_batches = false;
  std::size_t batches_per_step = 1;
};

void run(const LoopCase& loop, MadeScript& script) {
  for (int epoch = 0; epoch < loop.epochs; ++epoch) {
    if (epoch > 0) script.begin();
    for (int i = 0; i < loop.steps; ++i) {
      const bool is_long = loop.every > 0 && i % loop.every == loop.every - 1;
      const double loading = is_long ? loop.long_loading : loop.loading;
      script.step(loading + (i == 0 ? loop.first : 0.0), 0.0);
      if (loop.left > 0.0) script.leave(loop.left);
      script.pass(is_long ? loop.long_training : loop.training);
    }
    if (loop.end) script.end(*loop.end);
  }
}

// clang-format off
const LoopCase kLoops[] = {
    {.name = "takes_its_batches_in_groups", .steps = 800, .loading = 10.0, .training = 0.02,
     .every = 8, .long_loading = 10.0, .long_training = 200.0,
     .expected_loading = 80.0, .expected_training = 200.14, .tolerance = 2.0, .batches_per_step = 8},
    {.name = "updates_the_weights_in_each_eighth_step", .steps = 800, .loading = 10.0, .training = 5.0,
     .every = 8, .long_loading = 10.0, .long_training = 165.0,
     .expected_loading = 10.0, .expected_training = 25.0, .tolerance = 0.5},
    {.name = "loads_in_bursts", .steps = 320, .loading = 0.3, .training = 12.0,
     .every = 16, .long_loading = 600.0, .long_training = 12.0,
     .expected_loading = (600.0 + 15 * 0.3) / 16, .expected_training = 12.0, .tolerance = 1.5},
    {.name = "drops_an_iterator_in_each_step", .workers = 2, .epochs = 150, .steps = 1,
     .loading = 94.0, .training = 15.0, .left = 70.0,
     .expected_loading = 95.0 + 70.0, .expected_training = 15.0, .has_first_batches = true},
    {.name = "begins_an_epoch_in_each_step", .workers = 2, .epochs = 150, .steps = 1,
     .loading = 94.0, .training = 15.0,
     .expected_loading = 95.0, .expected_training = 15.0, .has_first_batches = true},
    {.name = "waits_for_the_ends_of_short_epochs", .workers = 2, .epochs = 41, .steps = 10,
     .training = 10.0, .end = 100.0,
     .expected_loading = 10.1, .expected_training = 10.0, .tolerance = 0.3, .has_first_batches = true},
    {.name = "waits_for_the_first_batches_of_short_epochs", .workers = 2, .epochs = 40, .steps = 24,
     .training = 12.0, .first = 99.0, .end = 0.0,
     .expected_loading = 100.0 / 24, .expected_training = 12.0, .tolerance = 0.1, .has_first_batches = true},
    {.name = "has_one_long_epoch", .workers = 2, .steps = 201, .loading = 1.0, .training = 9.0, .first = 899.0,
     .expected_loading = 1.0, .expected_training = 9.0},
    {.name = "has_a_long_gap_in_each_thirtieth_step", .steps = 600, .loading = 10.0, .training = 10.0,
     .every = 30, .long_loading = 10.0, .long_training = 6'000.0,
     .expected_loading = 10.0, .expected_training = (29 * 10.0 + 6'000.0) / 30, .tolerance = 10.0}};
// clang-format on

class Loops : public ::testing::TestWithParam<LoopCase> {};

TEST_P(Loops, have_the_times_of_a_stopwatch) {
  const LoopCase& loop = GetParam();
  MadeScript script(made_loader(loop.workers));
  run(loop, script);
  const WaitVerdict verdict = main_verdict(script);
  EXPECT_NEAR(1e3 * verdict.times.loading, loop.expected_loading, loop.tolerance);
  EXPECT_NEAR(1e3 * verdict.times.training, loop.expected_training, loop.tolerance);
  EXPECT_DOUBLE_EQ(verdict.stall, verdict.times.loading_share());
  EXPECT_EQ(verdict.batches_per_step, loop.batches_per_step);
  EXPECT_EQ(verdict.has_first_batches, loop.has_first_batches);
  EXPECT_NEAR(verdict.paused, 0.0, 0.1);
}

INSTANTIATE_TEST_SUITE_P(All, Loops, ::testing::ValuesIn(kLoops),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Loop, that_takes_groups_does_not_count_an_incomplete_one) {
  MadeScript script(made_loader());
  take_groups(script, 2);
  script.step(10.0, 0.02);
  const double stall = main_verdict(script).stall;
  script.steps(6, 10.0, 0.02);
  EXPECT_NEAR(main_verdict(script).stall, stall, 1e-9);
}

TEST(Loop, that_takes_groups_has_whole_ones_with_all_settings) {
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

// 9 and 3 ms of loading, 6 ms of training.
void zip(MadeScript& script, std::size_t steps) {
  for (std::size_t i = 0; i < steps; ++i) {
    script.use(kOther);
    script.step(3.0, 0.0);
    script.use(kLoader);
    script.step(9.0, 6.0);
  }
}

TEST(Loop, over_two_loaders_waits_for_both) {
  MadeScript script(made_loader());
  script.tell(made_loader_at(kOther));
  script.use(kOther);
  script.begin();
  zip(script, 200);
  const WatchedLoader* const main = script.watch.main_loader();
  EXPECT_EQ(main->loader.number, kLoader) << "the slower one";
  const WaitVerdict verdict = *judge(*main);
  EXPECT_NEAR(verdict.times.loading, 0.012, 1e-6);
  EXPECT_NEAR(verdict.times.training, 0.006, 1e-6);
  EXPECT_NEAR(verdict.most_to_win(), 3.0, 0.01);
  ASSERT_THAT(verdict.parts, SizeIs(2));
  EXPECT_EQ(verdict.parts[0].loader, main);
  EXPECT_NEAR(verdict.parts[0].loading, 0.009, 1e-6);
  EXPECT_EQ(verdict.parts[1].loader->loader.number, kOther);
  EXPECT_NEAR(verdict.parts[1].loading, 0.003, 1e-6);
  EXPECT_NEAR(verdict.paused, 0.0, 1e-9);
  const WaitVerdict other = *judge(*verdict.parts[1].loader);
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
  const WaitVerdict verdict = *judge(one);
  EXPECT_NEAR(verdict.times.loading_share(), 70.0 / 100.0, 0.01);
  EXPECT_THAT(verdict.parts, SizeIs(2));
  EXPECT_NEAR(verdict.paused, 0.0, 1e-9);
}

// Every 50 steps there are 16 batches of 64 + 5 ms, and a checkpoint of 100 ms.
TEST(Loop, that_validates_has_pauses) {
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
  const WaitVerdict verdict = *judge(*main);
  EXPECT_THAT(verdict.parts, IsEmpty());
  EXPECT_NEAR(verdict.stall, 64.0 / 84.0, 1e-6);
  EXPECT_NEAR(verdict.paused, 6 * (0.001 + 16 * 0.069 + 0.100), 1e-6);
}

// A loader from which another one takes batches is asked within the other one's next().
TEST(Loop, over_a_loader_that_takes_from_another_one_has_no_pauses) {
  MadeScript script(made_loader());
  script.tell(made_loader_at(kOther));
  script.use(kOther);
  script.begin();
  for (int i = 0; i < 100; ++i) {
    script.use(kOther);
    script.pass(1.0);  // In the outer one's next().
    script.step(8.0, 1.0);
    script.use(kLoader);
    script.step_until_now(10.0, 20.0);
  }
  const WaitVerdict verdict = *judge(script.watch.loaders().front());
  EXPECT_NEAR(verdict.times.loading, 0.010, 1e-6);
  EXPECT_NEAR(verdict.times.training, 0.020, 1e-6);
  EXPECT_THAT(verdict.parts, IsEmpty());
}

// The thread fills a queue for the training.
TEST(Loop, in_a_thread_that_trains_nothing_claims_nothing) {
  MadeScript script(made_loader());
  script.use(kLoader, 4711);
  script.begin();
  script.steps(100, 25.0, 0.05);
  const WaitVerdict verdict = main_verdict(script);
  EXPECT_TRUE(verdict.is_taken_by_a_thread);
  EXPECT_EQ(verdict.most_to_win(), 1.0);
  EXPECT_THAT(to_string(bound_of(verdict)), StrEq("UNKNOWN"));
}

TEST(Loop, in_a_thread_that_trains_has_a_verdict) {
  MadeScript script(made_loader());
  script.tell(made_loader_at(kOther));
  script.use(kLoader, 4711);
  script.begin();
  script.use(kOther, 4712);
  script.begin();
  for (int i = 0; i < 250; ++i) {  // Their times overlap.
    script.use(kLoader, 4711);
    script.step(4.0, 1.0);
    script.use(kOther, 4712);
    script.step(4.0, 1.0);
  }
  for (const WatchedLoader& watched : script.watch.loaders()) {
    const WaitVerdict verdict = *judge(watched);
    EXPECT_EQ(watched.batches, 250U);
    EXPECT_FALSE(verdict.is_taken_by_a_thread);
    EXPECT_THAT(verdict.parts, IsEmpty()) << "each thread has a step of its own";
    EXPECT_NEAR(verdict.paused, 0.0, 1e-9);
    EXPECT_NEAR(verdict.stall, 0.4, 0.01);
  }
}

// Each round has a new object in the same group.
TEST(Loop, that_makes_a_loader_again_has_one_loader) {
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
  EXPECT_THAT(histories(script.watch).at(0).segments, SizeIs(1));
  const auto targets = script.watch.targets(*script.watch.main_loader());
  ASSERT_THAT(targets, SizeIs(1));
  EXPECT_EQ(targets.front().loader, 1199U) << "the newest one";
  EXPECT_EQ(targets.front().batches, 40U);
}

TEST(Loop, whose_batch_size_changes_is_judged_by_the_size_with_the_most_time) {
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

TEST(Watch, keeps_the_messages_about_a_loader) {
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
