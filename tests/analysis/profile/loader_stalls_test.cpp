// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/loader_stalls.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/profile/steps.h"
#include "analysis/profile/trace_reader.h"
#include "core/random.h"

namespace feedrate {
namespace {

using ::testing::SizeIs;
using namespace std::chrono_literals;

// Calls of next() that begin every 100 ms and take `milliseconds`.
std::vector<LoaderWait> waits_of(const std::vector<int>& milliseconds) {
  std::vector<LoaderWait> waits;
  Nanos begin = 0ms;
  for (const int length : milliseconds) {
    waits.push_back({{begin, begin + length * 1ms}});
    begin += 100ms;
  }
  return waits;
}

std::size_t period_of(const std::vector<int>& milliseconds) {
  const auto stall = find_periodic_stall(waits_of(milliseconds));
  return stall ? stall->period : 0;
}

TEST(PeriodicStall, every_fourth_wait_is_found_with_its_length) {
  const auto stall =
      find_periodic_stall(waits_of({1, 2, 1, 90, 1, 1, 2, 95, 2, 1, 1, 92, 1, 2, 1, 91}));
  ASSERT_TRUE(stall);
  EXPECT_EQ(stall->period, 4U);
  EXPECT_EQ(stall->stalled, 92ms);
  EXPECT_EQ(stall->others, 1ms);
}

TEST(PeriodicStall, is_the_shortest_period_that_fits) {
  std::vector<int> waits;
  for (int i = 0; i < 200; ++i) waits.push_back(i % 3 == 1 ? 50 : 1);
  EXPECT_EQ(period_of(waits), 3U);
}

TEST(PeriodicStall, every_period_from_2_to_64_is_found_at_any_phase) {
  for (int period = 2; period <= 64; ++period) {
    std::vector<int> waits;
    for (int i = 0; i < 5 * period; ++i) waits.push_back((i + 7) % period == 0 ? 40 : 1);
    EXPECT_EQ(period_of(waits), static_cast<std::size_t>(period));
  }
}

TEST(PeriodicStall, some_exceptions_change_nothing) {
  std::vector<int> waits;
  for (int i = 0; i < 64; ++i) waits.push_back(i % 8 == 0 ? 60 + i % 5 : i % 3);
  waits[5] = 900;
  waits[16] = 1;
  waits[33] = 70;
  EXPECT_EQ(period_of(waits), 8U);
}

TEST(PeriodicStall, waits_without_a_pattern_have_none) {
  RandomStream random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<int> waits;
    for (int i = 0; i < 60; ++i) waits.push_back(random.below(4) == 0 ? 50 : 1);
    EXPECT_EQ(period_of(waits), 0U) << round;
  }
}

TEST(PeriodicStall, equal_none_and_few_waits_have_none) {
  EXPECT_EQ(period_of({}), 0U);
  EXPECT_EQ(period_of({5}), 0U);
  EXPECT_EQ(period_of({1, 50, 1, 50}), 0U);
  EXPECT_EQ(period_of(std::vector<int>(100, 0)), 0U);
  EXPECT_EQ(period_of(std::vector<int>(100, 30)), 0U);
}

// 2 ms of 100 ms are below the limit.
TEST(PeriodicStall, short_waits_are_no_stalls) {
  std::vector<int> waits;
  for (int i = 0; i < 40; ++i) waits.push_back(i % 4 == 0 ? 2 : 0);
  EXPECT_EQ(period_of(waits), 0U);
}

Activity activity(Role role, Nanos begin, Nanos end, std::int32_t device = kHost) {
  Activity made;
  made.role = role;
  made.span = {begin, end};
  made.device = device;
  return made;
}

TEST(LoaderStalls, exposed_is_the_part_without_gpu_work) {
  Timeline timeline;
  timeline.activities = {
      activity(Role::kDataLoader, 10ms, 50ms),   activity(Role::kKernel, 0ms, 20ms, 0),
      activity(Role::kMemcpy, 30ms, 35ms, 1),    activity(Role::kRuntime, 36ms, 49ms),
      activity(Role::kDataLoader, 110ms, 120ms), activity(Role::kCommunication, 105ms, 130ms, 0)};
  const LoaderStalls stalls = loader_stalls(timeline, {{1, {0ms, 100ms}}, {2, {100ms, 200ms}}});
  ASSERT_THAT(stalls.waits, SizeIs(2));
  EXPECT_EQ(stalls.waits[0].raw(), 40ms);
  EXPECT_EQ(stalls.waits[0].exposed, 25ms);
  EXPECT_EQ(stalls.waits[1].exposed, 0ms);
  ASSERT_THAT(stalls.steps, SizeIs(2));
  EXPECT_EQ(stalls.steps[0].raw, 40ms);
  EXPECT_EQ(stalls.steps[0].exposed, 25ms);
  EXPECT_EQ(stalls.steps[1].raw, 10ms);
  EXPECT_EQ(stalls.steps[1].exposed, 0ms);
}

TEST(LoaderStalls, a_wait_across_two_steps_is_shared_out) {
  Timeline timeline;
  timeline.activities = {activity(Role::kDataLoader, 90ms, 130ms),
                         activity(Role::kDataLoader, 300ms, 310ms)};
  const LoaderStalls stalls = loader_stalls(timeline, {{1, {0ms, 100ms}}, {2, {100ms, 200ms}}});
  EXPECT_THAT(stalls.waits, SizeIs(1));
  EXPECT_EQ(stalls.steps[0].raw, 10ms);
  EXPECT_EQ(stalls.steps[1].raw, 30ms);
}

TEST(LoaderStalls, a_wait_far_longer_than_the_others_is_an_outlier) {
  Timeline timeline;
  for (int i = 0; i < 20; ++i) {
    timeline.activities.push_back(
        activity(Role::kDataLoader, i * 1000ms, i * 1000ms + (i == 10 ? 700ms : 20ms)));
  }
  const LoaderStalls stalls = loader_stalls(timeline, {{0, {0ms, 20000ms}}});
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(stalls.waits[i].is_outlier, i == 10) << i;
  EXPECT_EQ(stalls.median, 20ms);
}

TEST(LoaderStalls, periodic_waits_are_no_outliers) {
  Timeline timeline;
  for (int i = 0; i < 20; ++i) {
    timeline.activities.push_back(
        activity(Role::kDataLoader, i * 1000ms, i * 1000ms + (i % 4 == 0 ? 700ms : 1ms)));
  }
  const LoaderStalls stalls = loader_stalls(timeline, {{0, {0ms, 20000ms}}});
  ASSERT_TRUE(stalls.periodic);
  EXPECT_EQ(stalls.periodic->period, 4U);
  for (const LoaderWait& wait : stalls.waits) EXPECT_FALSE(wait.is_outlier);
}

TEST(LoaderStalls, pinning_counts_after_the_first_step) {
  Timeline timeline;
  const auto call = [&](const char* name, Nanos begin) {
    timeline.activities.push_back(activity(Role::kRuntime, begin, begin + 3ms));
    timeline.activities.back().name = timeline.names.id(name);
  };
  call("cudaHostAlloc", 50ms);
  call("cudaHostAlloc", 110ms);
  call("cudaLaunchKernel", 120ms);
  call("cudaHostRegister", 130ms);
  const LoaderStalls stalls = loader_stalls(timeline, {{1, {0ms, 100ms}}, {2, {100ms, 200ms}}});
  EXPECT_EQ(stalls.pinned_late.count, 2U);
  EXPECT_EQ(stalls.pinned_late.time, 6ms);
}

TEST(LoaderStalls, without_steps_there_is_nothing) {
  EXPECT_THAT(loader_stalls(Timeline(), {}).waits, SizeIs(0));
}

// Computed by hand from the file: the kernel of step 4 runs until 2180 us, and so does the step.
TEST(LoaderStalls, of_a_trace_by_hand) {
  const Timeline timeline = read_trace(std::filesystem::path(FEEDRATE_SOURCE_DIR) /
                                       "tests/golden/profile/gpu_three_steps.json")
                                .timeline;
  const LoaderStalls stalls = loader_stalls(timeline, adjusted_steps(timeline));
  ASSERT_THAT(stalls.steps, SizeIs(3));
  EXPECT_EQ(stalls.steps[0].raw, 470us);
  EXPECT_EQ(stalls.steps[0].exposed, 300us);
  EXPECT_EQ(stalls.steps[1].raw, 130us);
  EXPECT_EQ(stalls.steps[1].exposed, 130us);
  EXPECT_EQ(stalls.steps[2].raw, 300us);
  EXPECT_EQ(stalls.pinned_late.count, 0U);
}

}  // namespace
}  // namespace feedrate
