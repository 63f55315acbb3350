// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/gpu_summary.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/test_timeline.h"

namespace feedrate {
namespace {

std::vector<GpuSummary> summaries_of(const Timeline& timeline) {
  return gpu_summaries(timeline, adjusted_steps(timeline));
}

TEST(GpuSummary, utilization_counts_kernels_within_the_window_once) {
  TestTimeline built(micros(100, 200));
  built.gpu(Role::kKernel, "half before the window", micros(80, 120));
  built.gpu(Role::kKernel, "a", micros(130, 150));
  built.gpu(Role::kKernel, "b, during a", micros(140, 160), 20);
  built.gpu(Role::kCommunication, "ncclDevKernel", micros(160, 165));
  built.gpu(Role::kMemcpy, "copy", micros(170, 200));
  built.gpu(Role::kKernel, "after", micros(210, 290));
  const std::vector<GpuSummary> gpus = summaries_of(built.finish());
  ASSERT_EQ(gpus.size(), 1U);
  EXPECT_NEAR(gpus[0].utilization, 0.55, 1e-12);
}

TEST(GpuSummary, window_includes_the_gaps_between_steps) {
  TestTimeline built(micros(0, 100));
  built.step(1, micros(300, 400));
  built.gpu(Role::kKernel, "kernel", micros(100, 300));
  EXPECT_NEAR(summaries_of(built.finish()).at(0).utilization, 0.5, 1e-12);
}

TEST(GpuSummary, sm_efficiency_adds_concurrent_kernels_up_to_one) {
  TestTimeline built(micros(0, 100));
  built.gpu(Role::kKernel, "a", micros(0, 40)).blocks_per_sm = 0.5F;
  built.gpu(Role::kKernel, "b", micros(20, 60), 20).blocks_per_sm = 0.25F;
  built.gpu(Role::kKernel, "c", micros(30, 50), 21).blocks_per_sm = 8.0F;
  built.gpu(Role::kKernel, "not recorded", micros(60, 90));
  // 20 at 0.5, 10 at 0.75, 20 at 1, 10 at 0.25
  EXPECT_NEAR(summaries_of(built.finish()).at(0).sm_efficiency.value(), 0.40, 1e-12);
}

TEST(GpuSummary, sm_efficiency_agrees_with_counting_instants) {
  TestTimeline built(micros(0, 200));
  std::vector<double> blocks(200);
  for (int i = 0; i < 60; ++i) {
    const int begin = (i * 37) % 190;
    const int end = begin + 1 + (i * 11) % 40;
    const float here = 0.03F + 0.01F * static_cast<float>(i % 9);
    built.gpu(Role::kKernel, "kernel", micros(begin, end), i).blocks_per_sm = here;
    for (int t = begin; t < std::min(end, 200); ++t) {
      blocks[static_cast<std::size_t>(t)] += static_cast<double>(here);
    }
  }
  double expected = 0.0;
  for (const double now : blocks) expected += std::min(now, 1.0) / 200;
  EXPECT_NEAR(summaries_of(built.finish()).at(0).sm_efficiency.value(), expected, 1e-9);
}

TEST(GpuSummary, occupancy_is_weighted_by_the_time_within_the_window) {
  TestTimeline built(micros(0, 100));
  built.gpu(Role::kKernel, "a", micros(0, 30)).occupancy = 0.8F;
  built.gpu(Role::kKernel, "b", micros(90, 190)).occupancy = 0.4F;
  built.gpu(Role::kKernel, "rounded to 0 %", micros(40, 50)).blocks_per_sm = 0.01F;
  built.gpu(Role::kKernel, "not recorded", micros(50, 90));
  EXPECT_NEAR(summaries_of(built.finish()).at(0).achieved_occupancy.value(),
              (30 * 0.8 + 10 * 0.4) / 50, 1e-7);
}

TEST(GpuSummary, has_no_values_that_were_not_recorded) {
  TestTimeline built(micros(0, 100));
  built.gpu(Role::kKernel, "kernel", micros(0, 30));
  const GpuSummary gpu = summaries_of(built.finish()).at(0);
  EXPECT_EQ(gpu.sm_efficiency, std::nullopt);
  EXPECT_EQ(gpu.achieved_occupancy, std::nullopt);
  EXPECT_EQ(gpu.properties.name, "");
}

TEST(GpuSummary, tensor_cores_share_the_kernel_time) {
  TestTimeline built(micros(0, 100));
  built.gpu(Role::kKernel, "s16816gemm", micros(0, 10));
  built.gpu(Role::kKernel, "relu", micros(10, 40));
  EXPECT_NEAR(summaries_of(built.finish()).at(0).tensor_core_share.value(), 0.25, 1e-12);
}

TEST(GpuSummary, has_no_tensor_core_share_of_unnamed_kernels) {
  TestTimeline built(micros(0, 100));
  built.gpu(Role::kKernel, "training step", micros(0, 40));
  EXPECT_EQ(summaries_of(built.finish()).at(0).tensor_core_share, std::nullopt);
}

TEST(GpuSummary, has_each_gpu_that_ran_a_kernel) {
  TestTimeline built(micros(0, 100));
  built.gpu(Role::kKernel, "kernel", micros(0, 30), 7, 3);
  built.gpu(Role::kKernel, "kernel", micros(0, 60), 7, 1);
  built.gpu(Role::kMemcpy, "copy", micros(0, 60), 7, 2);
  GpuProperties properties;
  properties.device = 3;
  properties.name = "NVIDIA H100";
  built.timeline().gpus.push_back(properties);
  const std::vector<GpuSummary> gpus = summaries_of(built.finish());
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0].properties.device, 1);
  EXPECT_NEAR(gpus[0].utilization, 0.6, 1e-12);
  EXPECT_EQ(gpus[1].properties.name, "NVIDIA H100");
}

TEST(GpuSummary, without_a_window_there_is_none) {
  TestTimeline built;
  built.gpu(Role::kKernel, "kernel", micros(0, 30));
  EXPECT_TRUE(gpu_summaries(built.finish(), {}).empty());
}

}  // namespace
}  // namespace feedrate
