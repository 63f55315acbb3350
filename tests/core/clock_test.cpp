// SPDX-License-Identifier: Apache-2.0
#include "core/clock.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>

namespace feedrate {
namespace {

using std::chrono::milliseconds;

TEST(ManualClock, moves_only_when_somebody_sleeps) {
  ManualClock clock;
  EXPECT_EQ(clock.now(), Nanos(0));
  clock.sleep_for(milliseconds(35));
  EXPECT_EQ(clock.now(), Nanos(35'000'000));
}

TEST(ManualClock, never_goes_back) {
  ManualClock clock;
  clock.sleep_until(milliseconds(10));
  clock.sleep_until(milliseconds(5));
  EXPECT_EQ(clock.now(), Nanos(10'000'000));
}

TEST(SteadyClock, sleeps_at_least_as_long_as_asked) {
  SteadyClock clock;
  const Nanos before = clock.now();
  clock.sleep_for(milliseconds(2));
  EXPECT_GE(clock.now() - before, milliseconds(2));
}

TEST(SteadyClock, returns_at_once_from_a_deadline_in_the_past) {
  SteadyClock clock;
  clock.sleep_until(clock.now() - std::chrono::hours(1));
}

TEST(ManualClock, moves_on_by_the_work) {
  ManualClock clock;
  clock.work_for(milliseconds(3));
  EXPECT_EQ(clock.now(), Nanos(3'000'000));
}

TEST(SteadyClock, works_for_longer_where_others_have_the_processor) {
  constexpr int kThreads = 3;
  const Nanos work = milliseconds(20);
  const int cpu = sched_getcpu();
  SteadyClock clock;
  const Nanos before = clock.now();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&clock, work, cpu] {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(cpu), &one);
        ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
        clock.work_for(work);
      });
    }
  }
  EXPECT_GE(clock.now() - before, kThreads * work);
}

TEST(Units, seconds_round_to_the_nearest_nanosecond) {
  EXPECT_EQ(from_seconds(0.0200000004), Nanos(20'000'000));
  EXPECT_DOUBLE_EQ(to_seconds(Nanos(1'500'000'000)), 1.5);
}

}  // namespace
}  // namespace feedrate
