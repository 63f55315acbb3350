// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/test_timeline.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<TimeInterval> spans_of(const std::vector<StepSpan>& steps) {
  std::vector<TimeInterval> spans;
  for (const StepSpan& step : steps) spans.push_back(step.span);
  return spans;
}

TEST(Steps, are_the_marks_if_nothing_was_launched) {
  TestTimeline built;
  built.step(7, micros(0, 100));
  built.step(8, micros(100, 200));
  built.gpu(Role::kKernel, "of no known call", micros(150, 300));
  const std::vector<StepSpan> steps = adjusted_steps(built.finish());
  EXPECT_THAT(spans_of(steps), ElementsAre(micros(0, 100), micros(100, 200)));
  EXPECT_EQ(steps[1].number, 8);
}

struct Launch {
  TimeInterval call, work;
};

struct AdjustedSteps {
  const char* name;
  std::vector<TimeInterval> marks;
  std::vector<Launch> launches;
  std::vector<TimeInterval> spans;
};

TEST(Steps, go_by_the_work_that_they_launched) {
  const std::vector<AdjustedSteps> cases{
      {"end with their work and begin at the end of the previous step",
       {micros(0, 100), micros(100, 200), micros(200, 300)},
       {{micros(10, 12), micros(50, 130)},
        {micros(110, 112), micros(130, 180)},
        {micros(210, 212), micros(250, 340)}},
       {micros(0, 130), micros(130, 200), micros(200, 340)}},
      {"begin after the work that was launched before the first, which still runs at 155",
       {micros(100, 200)},
       {{micros(10, 12), micros(80, 125)},
        {micros(20, 22), micros(155, 170)},
        {micros(110, 112), micros(150, 190)}},
       {micros(125, 200)}},
      {"own only calls that lie within them",
       {micros(0, 100), micros(100, 200)},
       {{micros(50, 51), micros(60, 70)},
        {micros(99, 101), micros(110, 400)},
        {micros(150, 151), micros(160, 170)}},
       {micros(0, 100), micros(100, 200)}},
      {"without work of their own may shrink to nothing",
       {micros(0, 100), micros(100, 200), micros(200, 300)},
       {{micros(10, 12), micros(50, 250)}, {micros(210, 212), micros(260, 280)}},
       {micros(0, 250), micros(250, 250), micros(250, 300)}},
      {"at the end without launches are dropped",
       {micros(0, 100), micros(100, 200), micros(200, 300), micros(300, 400)},
       {{micros(10, 12), micros(20, 30)}, {micros(110, 112), micros(120, 130)}},
       {micros(0, 100), micros(100, 200)}},
      {"a single one is kept",
       {micros(0, 100)},
       {{micros(10, 12), micros(20, 30)}},
       {micros(0, 100)}},
  };
  for (const AdjustedSteps& one : cases) {
    TestTimeline built;
    for (std::size_t i = 0; i < one.marks.size(); ++i) {
      built.step(static_cast<std::int64_t>(i), one.marks[i]);
    }
    for (const Launch& launch : one.launches) built.launch(launch.call, launch.work);
    EXPECT_EQ(spans_of(adjusted_steps(built.finish())), one.spans) << one.name;
  }
}

std::size_t steps_kept(int launched_by_first, int launched_by_last) {
  TestTimeline built(micros(0, 100));
  built.step(1, micros(100, 200));
  for (int i = 0; i < launched_by_first; ++i) built.launch(micros(i, i + 1), micros(i, i + 1));
  for (int i = 100; i < 100 + launched_by_last; ++i) {
    built.launch(micros(i, i + 1), micros(i, i + 1));
  }
  return adjusted_steps(built.finish()).size();
}

TEST(Steps, the_last_is_dropped_below_four_fifths_of_the_work_before_it) {
  EXPECT_EQ(steps_kept(5, 4), 2U);
  EXPECT_EQ(steps_kept(5, 3), 1U);
}

TEST(Steps, unmarked_are_one_over_the_hosts_ranges) {
  TestTimeline built;
  built.host(Role::kUncounted, "interpreter", micros(0, 900));
  built.host(Role::kDataLoader, "next", micros(100, 150));
  built.host(Role::kCpuExec, "aten::mm", micros(150, 200));
  built.launch(micros(160, 161), micros(170, 250));
  EXPECT_THAT(spans_of(adjusted_steps(built.finish())), ElementsAre(micros(100, 250)));
}

TEST(Steps, unmarked_and_without_ranges_are_one_over_all_counted_activities) {
  TestTimeline built;
  built.gpu(Role::kKernel, "kernel", micros(30, 40));
  built.gpu(Role::kMemcpy, "copy", micros(10, 20));
  EXPECT_THAT(spans_of(adjusted_steps(built.finish())), ElementsAre(micros(10, 40)));
}

TEST(Steps, of_an_empty_timeline_are_none) {
  EXPECT_THAT(adjusted_steps(Timeline{}), IsEmpty());
  EXPECT_EQ(step_window({}), TimeInterval{});
}

TEST(Steps, window_includes_gaps_and_times_do_not) {
  const std::vector<StepSpan> steps = {{0, micros(0, 100)}, {5, micros(300, 400)}};
  EXPECT_EQ(step_window(steps), micros(0, 400));
  EXPECT_THAT(step_times(steps), ElementsAre(micros(0, 100), micros(300, 400)));
}

}  // namespace
}  // namespace feedrate
