// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/idle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/test_timeline.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;

std::vector<DeviceTimes> times_of(const Timeline& timeline) {
  return device_times(timeline, adjusted_steps(timeline));
}

TEST(DeviceTimes, count_within_the_steps_only) {
  TestTimeline built(micros(0, 100));
  built.step(1, micros(200, 300));
  built.gpu(Role::kKernel, "kernel", micros(40, 240));
  built.gpu(Role::kMemcpy, "copy", micros(30, 50), 20);
  built.gpu(Role::kMemcpy, "copy", micros(250, 260), 20);
  built.gpu(Role::kMemset, "memset", micros(290, 310));
  const DeviceTimes times = times_of(built.finish()).at(0);
  EXPECT_EQ(times.steps, Nanos(200'000));
  EXPECT_EQ(times.kernels, Nanos(100'000));
  EXPECT_EQ(times.copies, Nanos(30'000));
  EXPECT_EQ(times.overlap, Nanos(10'000));
  EXPECT_EQ(times.exposed_copy(), Nanos(20'000));
  EXPECT_EQ(times.idle.total(), Nanos(200'000 - 100'000 - 20'000 - 10'000));
  EXPECT_NEAR(times.gpu_busy(), 0.5, 1e-12);
  EXPECT_NEAR(times.copy_overlap().value(), 1.0 / 3, 1e-12);
}

TEST(DeviceTimes, without_copies_have_no_overlap) {
  TestTimeline built(micros(0, 100));
  built.gpu(Role::kKernel, "kernel", micros(0, 20));
  EXPECT_EQ(times_of(built.finish()).at(0).copy_overlap(), std::nullopt);
}

TEST(DeviceTimes, without_gpu_or_steps_are_none) {
  TestTimeline built(micros(0, 100));
  EXPECT_TRUE(times_of(built.finish()).empty());
  TestTimeline unmarked;
  unmarked.gpu(Role::kKernel, "kernel", micros(0, 20));
  EXPECT_TRUE(device_times(unmarked.finish(), {}).empty());
}

/// Microseconds of the first GPU: of the loader, of calls, of operators, of all else.
std::vector<std::int64_t> idle_of(TestTimeline& built) {
  const IdleTime idle = times_of(built.finish()).at(0).idle;
  std::vector<std::int64_t> parts;
  for (const Nanos part : {idle.loader, idle.runtime, idle.operators, idle.other}) {
    parts.push_back(part.count() / 1000);
  }
  return parts;
}

TEST(IdleTime, goes_to_what_the_training_thread_does) {
  TestTimeline built(micros(0, 100));
  built.host(Role::kDataLoader, "next", micros(0, 40));
  built.host(Role::kRuntime, "cudaHostAlloc", micros(30, 45));
  built.host(Role::kCpuExec, "aten::mm", micros(40, 70));
  built.host(Role::kUncounted, "python", micros(0, 100));
  built.gpu(Role::kKernel, "kernel", micros(10, 20));
  EXPECT_THAT(idle_of(built), ElementsAre(30, 5, 25, 30));
}

TEST(IdleTime, ignores_the_pin_thread_and_uses_the_backward_thread) {
  TestTimeline built(micros(0, 100));
  built.host(Role::kDataLoader, "next", micros(0, 10));
  built.host(Role::kRuntime, "cudaEventQuery", micros(10, 60), 5555);
  built.host(Role::kCpuExec, "aten::convolution_backward", micros(60, 80), 6666);
  built.host(Role::kRuntime, "cudaLaunchKernel", micros(70, 80), 6666);
  built.gpu(Role::kKernel, "kernel", micros(80, 100));
  EXPECT_THAT(idle_of(built), ElementsAre(10, 10, 10, 50));
}

TEST(IdleTime, uses_the_timelines_main_lane) {
  TestTimeline built(micros(0, 100));
  built.host(Role::kRuntime, "cudaLaunchKernel", micros(0, 30));
  built.host(Role::kDataLoader, "a loader in a thread of its own", micros(0, 100), 7777);
  built.gpu(Role::kKernel, "kernel", micros(90, 100));
  built.timeline().main_lane = {TestTimeline::kProcess, TestTimeline::kThread};
  EXPECT_THAT(idle_of(built), ElementsAre(0, 30, 0, 60));
}

TEST(IdleTime, uses_all_threads_if_none_loads) {
  TestTimeline built(micros(0, 100));
  built.host(Role::kRuntime, "cudaLaunchKernel", micros(0, 30), 1);
  built.host(Role::kCpuExec, "aten::mm", micros(20, 60), 2);
  built.gpu(Role::kKernel, "kernel", micros(90, 100));
  EXPECT_THAT(idle_of(built), ElementsAre(0, 30, 30, 30));
}

TEST(IdleTime, is_of_each_gpu) {
  TestTimeline built(micros(0, 100));
  built.host(Role::kDataLoader, "next", micros(0, 40));
  built.gpu(Role::kKernel, "kernel", micros(0, 40), 7, 0);
  built.gpu(Role::kKernel, "kernel", micros(40, 100), 7, 1);
  const std::vector<DeviceTimes> gpus = times_of(built.finish());
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0].idle.loader, Nanos(0));
  EXPECT_EQ(gpus[0].idle.other, Nanos(60'000));
  EXPECT_EQ(gpus[1].idle.loader, Nanos(40'000));
  EXPECT_EQ(gpus[1].idle.total(), Nanos(40'000));
}

}  // namespace
}  // namespace feedrate
