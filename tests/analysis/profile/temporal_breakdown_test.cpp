// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/temporal_breakdown.h"

#include <gtest/gtest.h>

#include "tests/support/test_timeline.h"

namespace feedrate {
namespace {

TEST(TemporalBreakdown, by_hand) {
  TestTimeline built;
  built.gpu(Role::kMemcpy, "Memcpy HtoD", micros(10, 40), 20);
  built.gpu(Role::kKernel, "gemm", micros(30, 60));
  built.gpu(Role::kCommunication, "ncclDevKernel_AllReduce", micros(50, 70), 21);
  built.gpu(Role::kKernel, "void ncclKernel_AllReduce<float>", micros(70, 75), 21);
  built.gpu(Role::kMemset, "Memset", micros(90, 110));
  built.gpu(Role::kUncounted, "Stream Sync", micros(0, 200));
  built.host(Role::kCpuExec, "aten::mm", micros(0, 300));
  const std::vector<TemporalBreakdown> gpus = temporal_breakdowns(built.finish());
  ASSERT_EQ(gpus.size(), 1U);
  EXPECT_EQ(gpus[0].total, Nanos(100'000));
  EXPECT_EQ(gpus[0].idle, Nanos(15'000));
  EXPECT_EQ(gpus[0].compute, Nanos(30'000));
  EXPECT_EQ(gpus[0].non_compute, Nanos(55'000));
}

TEST(TemporalBreakdown, is_of_each_gpu) {
  TestTimeline built;
  built.gpu(Role::kKernel, "gemm", micros(0, 60), 7, 2);
  built.gpu(Role::kKernel, "gemm", micros(5, 6), 7, 0);
  const std::vector<TemporalBreakdown> gpus = temporal_breakdowns(built.finish());
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0].device, 0);
  EXPECT_EQ(gpus[1].total, Nanos(60'000));
  EXPECT_TRUE(temporal_breakdowns(Timeline{}).empty());
}

TEST(IdleBreakdown, gives_each_gap_to_one_reason) {
  TestTimeline built;
  built.launch(micros(0, 5), micros(10, 100));
  built.launch(micros(20, 25), micros(120, 200));    // short gap of 20: kernel_wait
  built.launch(micros(30, 35), micros(230, 300));    // launched in time, gap of 30: other
  built.launch(micros(310, 315), micros(320, 400));  // launched after 300: host_wait
  built.gpu(Role::kKernel, "of no known call", micros(410, 420));  // gap of 10: kernel_wait
  built.launch(micros(5, 6), micros(100, 900), 20);                // another stream, without a gap
  const std::vector<IdleBreakdown> streams = idle_breakdowns(built.finish());
  ASSERT_EQ(streams.size(), 2U);
  EXPECT_EQ(streams[0].stream, TestTimeline::kStream);
  EXPECT_EQ(streams[0].kernel_wait, Nanos(30'000));
  EXPECT_EQ(streams[0].other, Nanos(30'000));
  EXPECT_EQ(streams[0].host_wait, Nanos(20'000));
  EXPECT_EQ(streams[0].total(), Nanos(80'000));
  EXPECT_EQ(streams[1].total(), Nanos(0));
}

TEST(IdleBreakdown, also_uses_launches_by_the_driver_api) {
  TestTimeline built;
  built.gpu(Role::kKernel, "first", micros(0, 10));
  built.host(Role::kUncounted, "cuLaunchKernel", micros(50, 55)).correlation = 4;
  built.gpu(Role::kKernel, "second", micros(60, 70)).correlation = 4;
  EXPECT_EQ(idle_breakdowns(built.finish()).at(0).host_wait, Nanos(50'000));
}

TEST(IdleBreakdown, delay_can_be_chosen) {
  TestTimeline built;
  built.gpu(Role::kKernel, "first", micros(0, 10));
  built.gpu(Role::kKernel, "second", micros(12, 20));
  const Timeline timeline = built.finish();
  EXPECT_EQ(idle_breakdowns(timeline).at(0).kernel_wait, Nanos(2'000));
  EXPECT_EQ(idle_breakdowns(timeline, Nanos(30)).at(0).other, Nanos(2'000));
}

}  // namespace
}  // namespace feedrate
