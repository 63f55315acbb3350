// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/execution_summary.h"

#include <numeric>

#include <gtest/gtest.h>

#include "tests/support/test_timeline.h"

namespace feedrate {
namespace {

using namespace std::chrono_literals;

ExecutionSummary summary_of(const Timeline& timeline) {
  return execution_summary(timeline, adjusted_steps(timeline));
}

Nanos sum(const StepCosts& costs) {
  return std::accumulate(costs.by_role.begin(), costs.by_role.end(), Nanos(0));
}

TEST(ExecutionSummary, gives_each_moment_to_the_first_role) {
  TestTimeline built(micros(0, 100));
  built.host(Role::kUncounted, "python", micros(0, 100));
  built.host(Role::kDataLoader, "next", micros(0, 40));
  built.gpu(Role::kKernel, "of the step before", micros(0, 15));
  built.gpu(Role::kMemcpy, "copy", micros(10, 30), 20);
  built.host(Role::kRuntime, "cudaStreamSynchronize", micros(25, 35));
  built.host(Role::kCpuExec, "range", micros(38, 90));
  built.gpu(Role::kMemset, "memset", micros(50, 55));
  built.gpu(Role::kCommunication, "nccl", micros(53, 60), 21);
  const ExecutionSummary summary = summary_of(built.finish());
  ASSERT_EQ(summary.steps.size(), 1U);
  EXPECT_EQ(summary.steps[0].by_role,
            (std::array<Nanos, kRoleCount>{15us, 15us, 5us, 5us, 5us, 5us, 40us, 10us}));
}

TEST(ExecutionSummary, averages_over_the_steps) {
  TestTimeline built(micros(0, 100));
  built.step(1, micros(100, 400));
  built.host(Role::kDataLoader, "next", micros(0, 20));
  built.host(Role::kDataLoader, "next", micros(90, 140));  // within both
  const ExecutionSummary summary = summary_of(built.finish());
  EXPECT_EQ(summary.steps[0][Role::kDataLoader], Nanos(30'000));
  EXPECT_EQ(summary.steps[1][Role::kDataLoader], Nanos(40'000));
  EXPECT_NEAR(summary.step_seconds, 200e-6, 1e-15);
  EXPECT_NEAR(summary.seconds(Role::kDataLoader), 35e-6, 1e-15);
  EXPECT_NEAR(summary.share(Role::kDataLoader), 35.0 / 200.0, 1e-12);
  EXPECT_NEAR(summary.share(kOtherRole), 165.0 / 200.0, 1e-12);
}

// The plugin would start over and count the loader and the range again.
TEST(ExecutionSummary, gives_other_roles_nothing_if_kernels_cover_all) {
  TestTimeline built(micros(0, 100));
  built.gpu(Role::kKernel, "kernel", micros(0, 100));
  built.host(Role::kDataLoader, "next", micros(0, 40));
  built.host(Role::kCpuExec, "range", micros(40, 100));
  const StepCosts costs = summary_of(built.finish()).steps.at(0);
  EXPECT_EQ(costs[Role::kKernel], Nanos(100'000));
  EXPECT_EQ(costs[Role::kDataLoader], Nanos(0));
  EXPECT_EQ(sum(costs), Nanos(100'000));
}

TEST(ExecutionSummary, ignores_the_time_between_steps) {
  TestTimeline built(micros(0, 100));
  built.step(1, micros(200, 300));
  built.host(Role::kCpuExec, "validation", micros(50, 250));
  const ExecutionSummary summary = summary_of(built.finish());
  EXPECT_NEAR(summary.step_seconds, 100e-6, 1e-15);
  EXPECT_NEAR(summary.seconds(Role::kCpuExec), 50e-6, 1e-15);
}

TEST(ExecutionSummary, without_steps_is_zero) {
  const ExecutionSummary summary = execution_summary(Timeline{}, {});
  EXPECT_TRUE(summary.steps.empty());
  EXPECT_EQ(summary.step_seconds, 0.0);
  EXPECT_EQ(summary.share(Role::kKernel), 0.0);
}

TEST(ExecutionSummary, names_roles_as_the_plugin_does) {
  EXPECT_EQ(role_title(Role::kKernel), "Kernel");
  EXPECT_EQ(role_title(Role::kCpuExec), "CPU Exec");
  EXPECT_EQ(role_title(kOtherRole), "Other");
}

}  // namespace
}  // namespace feedrate
