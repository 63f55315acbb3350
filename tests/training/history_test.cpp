// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/made_script.h"
#include "training/in_place_tuner.h"
#include "training/results.h"

namespace feedrate::testing {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kRounding = 1e-7;

LoaderHistory only(const MadeScript& script) {
  const std::vector<LoaderHistory> loaders = histories(script.watch);
  EXPECT_THAT(loaders, SizeIs(1));
  return loaders.empty() ? LoaderHistory{} : loaders.front();
}

std::vector<SegmentUse> uses_of(const LoaderHistory& loader) {
  std::vector<SegmentUse> uses;
  for (const HistorySegment& segment : loader.segments) uses.push_back(segment.use);
  return uses;
}

// It has 30 steps of its own, then 30 of a trial with two workers.
struct TriedScript : MadeScript {
  TriedScript() : MadeScript(made_loader()) {
    steps(30, 35.0, 30.0);
    watch.expect(1, made_loader(2), SegmentUse::kTrial);
    switched(1);
    steps(30, 5.0, 30.0);
  }
};

TEST(History, has_the_times_of_steps) {
  MadeScript script(made_loader());
  script.steps(20, 35.0, 30.0);
  script.steps(11, 10.0, 30.0);
  const LoaderHistory loader = only(script);
  EXPECT_EQ(loader.loader, "train.py:42 DataLoader(ImageFolder, batch_size=8, num_workers=0)");
  ASSERT_FALSE(loader.points.empty());
  const HistoryPoint& first = loader.points.front();
  EXPECT_NEAR(first.begin, 0.001 + 5 * 0.065, kRounding) << "iter(), and the five discarded steps";
  EXPECT_NEAR(first.times.loading, 0.035, kRounding);
  EXPECT_NEAR(first.times.training, 0.030, kRounding);
  const HistoryPoint& last = loader.points.back();
  EXPECT_NEAR(last.end, 0.001 + 20 * 0.065 + 10 * 0.040, kRounding);
  EXPECT_NEAR(last.times.loading, 0.010, kRounding);
  for (std::size_t i = 1; i < loader.points.size(); ++i) {
    EXPECT_GE(loader.points[i].begin, loader.points[i - 1].end);
  }
}

TEST(History, begins_a_segment_with_other_settings) {
  const TriedScript script;
  const LoaderHistory loader = only(script);
  ASSERT_THAT(uses_of(loader), ElementsAre(SegmentUse::kOwn, SegmentUse::kTrial));
  const HistorySegment& own = loader.segments.front();
  const HistorySegment& trial = loader.segments.back();
  EXPECT_EQ(own.settings, settings_of(made_loader()));
  EXPECT_EQ(own.steps, 29U) << "without the step of the switch";
  EXPECT_NEAR(trial.begin, 0.001 + 30 * 0.065, kRounding);
  EXPECT_EQ(trial.settings, settings_of(made_loader(2))) << "as in its cell";
  EXPECT_EQ(trial.steps, 29U);
  ASSERT_TRUE(trial.times && trial.samples_per_second);
  EXPECT_NEAR(trial.times->loading, 0.005, kRounding);
  EXPECT_NEAR(*trial.samples_per_second, 8 / 0.035, 1e-6);
}

TEST(History, has_failed_switches) {
  TriedScript script;
  script.tell(ScriptSwitchFailed{kLoader, 1, "killed"});
  script.steps(10, 35.0, 30.0);
  script.watch.expect(2, made_loader(4), SegmentUse::kTrial);
  script.tell(ScriptSwitchFailed{kLoader, 2, "no memory"});
  script.steps(10, 35.0, 30.0);
  const LoaderHistory loader = only(script);
  ASSERT_THAT(uses_of(loader), ElementsAre(SegmentUse::kOwn, SegmentUse::kTrial, SegmentUse::kOwn,
                                           SegmentUse::kTrial, SegmentUse::kOwn));
  EXPECT_EQ(loader.segments[1].problem, "killed");
  EXPECT_EQ(loader.segments[3].problem, "no memory");
  EXPECT_EQ(loader.segments[3].steps, 0U) << "it never began";
  EXPECT_FALSE(loader.segments[3].times);
}

TEST(History, has_epochs_and_no_point_over_a_pause) {
  MadeScript script(made_loader());
  script.step(100.0, 10.0);
  script.steps(19, 10.0, 10.0);
  script.end();
  script.pass(60'000.0);
  script.begin();
  script.steps(20, 10.0, 10.0);
  const LoaderHistory loader = only(script);
  ASSERT_THAT(loader.epochs, SizeIs(2));
  EXPECT_NEAR(loader.epochs[0].first_batch, 0.101, kRounding);
  EXPECT_NEAR(loader.epochs[1].begin, 0.001 + 0.110 + 19 * 0.020 + 60.0, kRounding);
  for (const HistoryPoint& point : loader.points) EXPECT_LT(point.end - point.begin, 1.0);
  EXPECT_THAT(loader.segments, SizeIs(1));
}

// Spans arrive after the marks of their steps.
TEST(History, has_the_idle_time_of_the_gpu) {
  MadeScript script(made_loader());
  script.steps(31, 10.0, 10.0);
  const Nanos busy = from_seconds(0.008);
  for (std::size_t step = 0; step < 20; ++step) {
    script.tell(ScriptSpans{{kLoader, 0, step, from_seconds(step < 10 ? 0.024 : 0.008), busy}});
  }
  script.tell(ScriptSpans{{kLoader, 0, 20, std::nullopt, busy}});
  const std::vector<HistoryPoint> points = only(script).points;
  ASSERT_THAT(points, SizeIs(25)) << "one a step";
  EXPECT_THAT(points[0].times.gpu_idle, ::testing::Optional(DoubleNear(0.75, kRounding)));
  EXPECT_THAT(points[14].times.gpu_idle, ::testing::Optional(DoubleNear(0.5, kRounding)));
  EXPECT_EQ(points[15].times.gpu_idle, std::nullopt) << "its idle time is not known";
}

TEST(History, has_a_few_hundred_points_of_a_long_run) {
  MadeScript script(made_loader());
  for (int i = 0; i < 100'000; ++i) script.step(i < 50'000 ? 10.0 : 20.0, 10.0);
  const std::vector<HistoryPoint> points = only(script).points;
  EXPECT_GE(points.size(), 150U);
  EXPECT_LE(points.size(), 400U);
  EXPECT_NEAR(points.front().times.loading, 0.010, kRounding);
  EXPECT_NEAR(points.back().times.loading, 0.020, kRounding);
  EXPECT_NEAR(points.back().end, 50'000 * 0.02 + 50'000 * 0.03, 10.0);
}

TEST(History, has_the_first_and_the_latest_of_many_switches) {
  MadeScript script(made_loader());
  script.steps(10, 10.0, 10.0);
  for (std::size_t i = 1; i <= 200; ++i) {
    script.watch.expect(i, made_loader(i), SegmentUse::kTrial);
    script.switched(i);
    script.steps(3, 10.0, 10.0);
  }
  const LoaderHistory loader = only(script);
  EXPECT_THAT(loader.segments, SizeIs(100));
  EXPECT_EQ(loader.segments.front().use, SegmentUse::kOwn);
  EXPECT_EQ(text_of(loader.segments.back().settings, "num_workers"), "200");
}

TEST(History, has_only_loaders_of_the_first_rank_with_a_whole_block) {
  MadeScript script(made_loader());
  script.steps(4, 10.0, 10.0);
  EXPECT_THAT(histories(script.watch), IsEmpty());
  ScriptProcess second;
  second.id = 200;
  second.rank = 1;
  script.watch.add(kConnection + 1, second);
  script.watch.add(kConnection + 1, made_loader());
  ScriptMarks marks(40, ScriptMark{kLoader, 0});
  script.watch.add(kConnection + 1, marks);
  EXPECT_THAT(histories(script.watch), IsEmpty());
}

TEST(History, is_sorted_by_time) {
  MadeScript script(made_loader());
  script.steps(20, 10.0, 10.0);
  script.tell(made_loader_at(50));
  script.use(50);
  script.begin();
  script.steps(40, 10.0, 10.0);
  const std::vector<LoaderHistory> loaders = histories(script.watch);
  ASSERT_THAT(loaders, SizeIs(2));
  EXPECT_EQ(loaders[0].loader, "train.py:50 DataLoader(ImageFolder, batch_size=8, num_workers=0)");
  EXPECT_GT(loaders[0].points.front().begin, loaders[1].points.back().begin) << "on one clock";
}

// A batch takes 100 ms in one worker, a step 30 ms.
TEST(RunHistory, of_a_tuned_run_has_the_kept_settings) {
  MadeScript script(made_loader(), 8);
  ScriptLoader now = made_loader();
  const auto step = [&] {
    const auto workers = static_cast<double>(now.num_workers);
    script.step(workers > 0.0 ? std::max(0.0, 100.0 / workers - 30.0) : 100.0, 30.0);
  };
  for (int i = 0; i < 30; ++i) step();
  InPlaceTuner tuner(*script.watch.main_loader(), {});
  for (std::size_t i = 1; i < 2'000 && !tuner.is_over(); ++i) {
    if (const std::optional<ScriptLoader> wanted = tuner.advance(script.watch)) {
      now = *wanted;
      script.watch.expect(i, now, tuner.is_over() ? SegmentUse::kKept : SegmentUse::kTrial);
      script.switched(i);
    }
    step();
  }
  ASSERT_TRUE(tuner.is_over());
  for (int i = 0; i < 40; ++i) step();
  RunResult run;
  set_history(run, script.watch, &tuner, {"40 steps", "INPUT-BOUND"});
  ASSERT_TRUE(run.history);
  EXPECT_THAT(run.history->verdict, ElementsAre("40 steps", "INPUT-BOUND"));
  ASSERT_THAT(run.history->loaders, SizeIs(1));
  const std::vector<HistorySegment>& segments = run.history->loaders.front().segments;
  EXPECT_EQ(segments.front().use, SegmentUse::kOwn);
  EXPECT_EQ(segments.back().use, SegmentUse::kKept);
  EXPECT_EQ(segments.back().settings, settings_of(tuner.settings(tuner.chosen())));
  EXPECT_GE(*segments.back().samples_per_second, *segments.front().samples_per_second);
}

}  // namespace
}  // namespace feedrate::testing
