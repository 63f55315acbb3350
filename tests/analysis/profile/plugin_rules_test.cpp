// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/profile/rules.h"
#include "tests/support/test_advice.h"
#include "tests/support/test_timeline.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;

Timeline with_range(Role role, std::int64_t length) {
  TestTimeline built(micros(0, 1000));
  built.host(role, "range", micros(0, length));
  return built.finish();
}

GpuProperties gpu(std::int32_t device, int major, int minor) {
  GpuProperties properties;
  properties.device = device;
  properties.compute_major = major;
  properties.compute_minor = minor;
  return properties;
}

TEST(PluginRules, data_loading_above_five_percent) {
  EXPECT_FALSE(advice_on(AdviceRule::kDataLoading, with_range(Role::kDataLoader, 50)));
  EXPECT_TRUE(advice_on(AdviceRule::kDataLoading, with_range(Role::kDataLoader, 51)));
}

TEST(PluginRules, data_loading_knows_the_workers) {
  const Timeline timeline = with_range(Role::kDataLoader, 500);
  RunFacts facts;
  facts.num_workers = 0;
  EXPECT_THAT(advice_on(AdviceRule::kDataLoading, timeline, facts).value().text,
              HasSubstr("set num_workers."));
  facts.num_workers = 4;
  EXPECT_THAT(advice_on(AdviceRule::kDataLoading, timeline, facts).value().text,
              HasSubstr("Raise num_workers from 4 step by step"));
}

TEST(PluginRules, communication_above_ten_percent) {
  EXPECT_FALSE(advice_on(AdviceRule::kCommunication, with_range(Role::kCommunication, 100)));
  EXPECT_EQ(
      advice_on(AdviceRule::kCommunication, with_range(Role::kCommunication, 123)).value().evidence,
      "Communication 12.3 % of the step (limit 10 %)");
}

TEST(PluginRules, utilization_below_half_of_any_gpu) {
  TestTimeline built(micros(0, 1000));
  built.gpu(Role::kKernel, "kernel", micros(0, 500), 7, 0);
  built.gpu(Role::kKernel, "kernel", micros(0, 499), 7, 1);
  built.gpu(Role::kKernel, "kernel", micros(0, 100), 7, 3);
  EXPECT_EQ(advice_on(AdviceRule::kLowUtilization, built.finish()).value().evidence,
            "a kernel runs: GPU 1 49.9 %, GPU 3 10.0 % of the time (limit 50 %)");
}

Timeline parallel(const char* forward, const char* operation, std::int32_t gpus,
                  GpuProperties properties) {
  TestTimeline built(micros(0, 100));
  built.host(Role::kCpuExec, forward, micros(0, 100));
  built.host(Role::kCommunication, operation, micros(0, 1));
  for (std::int32_t i = 0; i < gpus; ++i) {
    built.gpu(Role::kKernel, "kernel", micros(0, 100), 7, i);
  }
  built.timeline().gpus.push_back(std::move(properties));
  return built.finish();
}

TEST(PluginRules, data_parallel_on_more_than_one_gpu) {
  const auto advised = [](const char* forward, int gpus) {
    return advice_on(AdviceRule::kDataParallel, parallel(forward, "x", gpus, gpu(0, 8, 0)))
        .has_value();
  };
  EXPECT_TRUE(advised("DataParallel.forward", 2));
  EXPECT_FALSE(advised("DataParallel.forward", 1));
  EXPECT_FALSE(advised("DistributedDataParallel.forward", 2));
}

TEST(PluginRules, nccl_if_the_gpu_supports_it_and_nothing_used_it) {
  const auto advised = [](const char* forward, const char* operation, GpuProperties properties) {
    return advice_on(AdviceRule::kNccl, parallel(forward, operation, 1, std::move(properties)))
        .has_value();
  };
  const char* ddp = "DistributedDataParallel.forward";
  EXPECT_TRUE(advised(ddp, "gloo:all_reduce", gpu(0, 3, 5)));
  EXPECT_FALSE(advised(ddp, "gloo:all_reduce", gpu(0, 3, 0)));
  EXPECT_FALSE(advised(ddp, "nccl:all_reduce", gpu(0, 9, 0)));
  EXPECT_FALSE(advised("DataParallel.forward", "gloo:all_reduce", gpu(0, 9, 0)));
}

Timeline matrices(const char* kernel, const char* operation, int major) {
  TestTimeline built(micros(0, 100));
  built.host(Role::kCpuExec, operation, micros(0, 10)).external_id = 5;
  built.host(Role::kCpuExec, "aten::add", micros(10, 20)).external_id = 6;
  built.gpu(Role::kKernel, kernel, micros(20, 80)).external_id = 5;
  built.gpu(Role::kKernel, "add", micros(80, 100)).external_id = 6;
  built.timeline().gpus.push_back(gpu(0, major, 0));
  return built.finish();
}

TEST(PluginRules, mixed_precision_if_tensor_cores_are_unused) {
  EXPECT_EQ(
      advice_on(AdviceRule::kMixedPrecision, matrices("sgemm", "aten::addmm", 8)).value().evidence,
      "operators that could use them take 75 % of the kernel time; GPU 0 has compute capability "
      "8.0");
  EXPECT_FALSE(advice_on(AdviceRule::kMixedPrecision, matrices("s16816gemm", "aten::addmm", 8)));
  EXPECT_FALSE(advice_on(AdviceRule::kMixedPrecision, matrices("sgemm", "aten::relu", 8)));
  EXPECT_FALSE(advice_on(AdviceRule::kMixedPrecision, matrices("sgemm", "aten::addmm", 6)));
}

TEST(PluginRules, device_memory_above_nine_tenths_of_the_first_such_gpu) {
  TestTimeline built(micros(0, 100));
  const std::uint64_t gib = std::uint64_t{1} << 30U;
  for (const std::uint64_t peak : {36 * gib, 37 * gib, 40 * gib}) {
    GpuProperties properties = gpu(static_cast<std::int32_t>(peak / gib), 8, 0);
    properties.memory_bytes = 40 * gib;
    properties.peak.allocated_bytes = peak;
    built.timeline().gpus.push_back(properties);
  }
  EXPECT_EQ(advice_on(AdviceRule::kDeviceMemory, built.finish()).value().evidence,
            "GPU 37: 37.00 of 40.00 GiB allocated at the peak, 92.5 % (limit 90 %)");
}

}  // namespace
}  // namespace feedrate
