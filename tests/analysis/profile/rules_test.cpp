// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

/// A step of a tenth of a second.
Timeline loading(std::int64_t percent) {
  TestTimeline built(micros(0, 100'000));
  built.host(Role::kDataLoader, "next", micros(0, 1000 * percent));
  return built.finish();
}

TEST(LoaderRules, prefetch_one_batch_only_where_the_step_waits) {
  RunFacts facts;
  facts.num_workers = 4;
  facts.prefetch_factor = 1;
  EXPECT_EQ(advice_on(AdviceRule::kPrefetch, loading(30), facts).value().evidence,
            "prefetch_factor 1 with num_workers 4; DataLoader 30.0 % of the step (limit 5 %)");
  EXPECT_FALSE(advice_on(AdviceRule::kPrefetch, loading(5), facts));
  facts.prefetch_factor = 2;
  EXPECT_FALSE(advice_on(AdviceRule::kPrefetch, loading(30), facts));
  facts.prefetch_factor.reset();
  EXPECT_FALSE(advice_on(AdviceRule::kPrefetch, loading(30), facts));
}

TEST(LoaderRules, start_up_above_five_percent_of_an_epoch) {
  RunFacts facts;
  facts.num_workers = 4;
  facts.batches_per_epoch = 100;
  facts.first_batch_seconds = 2.5;
  const Advice advice = advice_on(AdviceRule::kStartUp, loading(0), facts).value();
  EXPECT_EQ(advice.evidence,
            "first batch after 2.5 s, 20.0 % of an epoch of 100 batches (limit 5 %)");
  EXPECT_THAT(advice.text, HasSubstr("Set persistent_workers"));
  facts.first_batch_seconds = 0.5;
  EXPECT_FALSE(advice_on(AdviceRule::kStartUp, loading(0), facts));
  facts.first_batch_seconds.reset();
  EXPECT_FALSE(advice_on(AdviceRule::kStartUp, loading(0), facts));
}

TEST(LoaderRules, start_up_does_not_advise_settings_that_are_set_or_idle) {
  RunFacts facts;
  facts.batches_per_epoch = 1;
  facts.first_batch_seconds = 2.5;
  facts.num_workers = 4;
  facts.persistent_workers = true;
  EXPECT_THAT(advice_on(AdviceRule::kStartUp, loading(0), facts).value().text,
              HasSubstr("despite persistent workers"));
  facts.num_workers = 0;
  EXPECT_THAT(advice_on(AdviceRule::kStartUp, loading(0), facts).value().text,
              HasSubstr("opening the dataset"));
}

TEST(LoaderRules, host_memory_above_nine_tenths) {
  const std::uint64_t gib = std::uint64_t{1} << 30U;
  RunFacts facts;
  facts.host_memory_limit = 64 * gib;
  facts.host_memory_peak = 58 * gib;
  EXPECT_EQ(advice_on(AdviceRule::kHostMemory, loading(0), facts).value().evidence,
            "58.00 of 64.00 GiB at the peak, 90.6 % (limit 90 %)");
  facts.host_memory_peak = 57 * gib;
  EXPECT_FALSE(advice_on(AdviceRule::kHostMemory, loading(0), facts));
  facts.host_memory_limit.reset();
  EXPECT_FALSE(advice_on(AdviceRule::kHostMemory, loading(0), facts));
}

Timeline copied_from(MemoryKind source, std::int64_t length) {
  TestTimeline built(micros(0, 1000));
  Activity& copy = built.gpu(Role::kMemcpy, "Memcpy HtoD", micros(0, length));
  copy.source = source;
  copy.target = MemoryKind::kDevice;
  copy.bytes = 5'000'000;
  Activity& other = built.gpu(Role::kMemcpy, "Memcpy HtoD", micros(500, 501));
  other.source = MemoryKind::kPinned;
  other.target = MemoryKind::kDevice;
  built.gpu(Role::kMemcpy, "Memcpy DtoH", micros(600, 900)).source = MemoryKind::kDevice;
  return built.finish();
}

TEST(TransferRules, pageable_copies_above_one_percent) {
  EXPECT_EQ(advice_on(AdviceRule::kPageableCopies, copied_from(MemoryKind::kPageable, 20))
                .value()
                .evidence,
            "1 of 2 copies to the GPU from pageable memory, 5.0 MB in total; 2.0 % of the step "
            "(limit 1 %)");
  EXPECT_FALSE(advice_on(AdviceRule::kPageableCopies, copied_from(MemoryKind::kPageable, 10)));
  EXPECT_FALSE(advice_on(AdviceRule::kPageableCopies, copied_from(MemoryKind::kPinned, 20)));
}

TEST(TransferRules, pageable_copies_despite_pinning_have_another_advice) {
  RunFacts facts;
  facts.pin_memory = true;
  EXPECT_THAT(advice_on(AdviceRule::kPageableCopies, copied_from(MemoryKind::kPageable, 20), facts)
                  .value()
                  .text,
              HasSubstr("although pin_memory is set"));
}

/// A copy call and a wait right after it.
Timeline waited_for_copy(std::int64_t length) {
  TestTimeline built(micros(0, 1000));
  const std::uint64_t correlation = built.next_correlation();
  built.host(Role::kRuntime, "cudaMemcpyAsync", micros(90, 100)).correlation = correlation;
  built.host(Role::kRuntime, "cudaStreamSynchronize", micros(100, 100 + length));
  Activity& copy = built.gpu(Role::kMemcpy, "Memcpy HtoD", micros(95, 99 + length));
  copy.correlation = correlation;
  copy.source = MemoryKind::kPinned;
  copy.target = MemoryKind::kDevice;
  return built.finish();
}

TEST(TransferRules, blocking_copies_above_one_percent) {
  const Advice advice = advice_on(AdviceRule::kBlockingCopies, waited_for_copy(31)).value();
  EXPECT_EQ(advice.evidence,
            "the host waited for 1 of 1 copies to the GPU; 3.1 % of the step (limit 1 %)");
  EXPECT_THAT(advice.text, HasSubstr("non_blocking=True"));
  EXPECT_FALSE(advice_on(AdviceRule::kBlockingCopies, waited_for_copy(10)));
}

TEST(TransferRules, blocking_copies_despite_non_blocking_have_another_advice) {
  RunFacts facts;
  facts.non_blocking = true;
  EXPECT_THAT(advice_on(AdviceRule::kBlockingCopies, waited_for_copy(31), facts).value().text,
              HasSubstr("although non_blocking is set"));
}

Timeline copied_beside_kernel(std::int64_t copy_end) {
  TestTimeline built(micros(0, 1000));
  built.gpu(Role::kKernel, "kernel", micros(0, 900));
  built.gpu(Role::kMemcpy, "Memcpy HtoD", micros(850, copy_end), 20);
  return built.finish();
}

TEST(TransferRules, exposed_copies_above_five_percent) {
  EXPECT_FALSE(advice_on(AdviceRule::kCopyOverlap, copied_beside_kernel(950)));
  EXPECT_EQ(advice_on(AdviceRule::kCopyOverlap, copied_beside_kernel(975)).value().evidence,
            "GPU 0: copies without a kernel 7.5 % of the step (limit 5 %); 40.0 % of the copy time "
            "overlapped by kernels");
}

TEST(TransferRules, exposed_copies_are_reported_for_the_worst_gpu) {
  TestTimeline built(micros(0, 1000));
  for (std::int32_t device = 0; device < 3; ++device) {
    built.gpu(Role::kMemcpy, "Memcpy HtoD", micros(0, device == 1 ? 300 : 100), 7, device);
  }
  EXPECT_THAT(advice_on(AdviceRule::kCopyOverlap, built.finish()).value().evidence,
              HasSubstr("GPU 1: copies without a kernel 30.0 % of the step"));
}

}  // namespace
}  // namespace feedrate
