// SPDX-License-Identifier: Apache-2.0
// Tests the gain of pinning, non_blocking and a side stream on a simulated A100 with PCIe 4: a
// float32 batch of 256×3×224×224 (154 MB) and a step of 20 ms, in steady state, without a host wait
// per step. Expected values follow from the preset: 154.14 MB take 19.27 ms staged at 8 GB/s, and
// 6.17 ms at 25 GB/s.
#include <gtest/gtest.h>

#include "bench/trainers/trainer.h"
#include "device/simulated/simulated_device.h"

namespace feedrate {
namespace {

constexpr std::size_t kSamples = 256;
constexpr std::size_t kCopiedBytes = kSamples * 3 * 224 * 224 * 4;
constexpr int kWarmup = 10;
constexpr int kSteps = 50;

double milliseconds_per_step(HostMemory memory, bool non_blocking, CopyStream stream,
                             std::size_t sync_every = 0, std::size_t device_prefetch = 0) {
  ManualClock clock;
  const auto device = make_simulated_device(find_simulated_preset("a100-pcie4"), clock);
  const auto buffer = std::make_shared<OwnedMemory>(device->allocate_host(kCopiedBytes, memory));
  const auto trainer = make_device_trainer(*device,
                                           {.non_blocking = non_blocking,
                                            .copy_stream = stream,
                                            .sync_every = sync_every,
                                            .batch_bytes = kCopiedBytes,
                                            .device_prefetch = device_prefetch},
                                           make_burn_work(std::chrono::milliseconds(20), kSamples));
  Batch batch;
  batch.buffer = buffer;
  batch.bytes_used = kCopiedBytes;
  batch.labels.resize(kSamples);
  for (int i = 0; i < kWarmup + kSteps; ++i) static_cast<void>(trainer->step(batch));
  const std::vector<DeviceSpans> spans = trainer->finish();
  const Nanos window = spans[kWarmup + kSteps - 1].compute_end - spans[kWarmup - 1].compute_end;
  return to_seconds(window) * 1e3 / kSteps;
}

void expect_within_one_percent(double measured, double expected) {
  EXPECT_NEAR(measured, expected, 0.01 * expected);
}

TEST(TransferTable, pageable_waits_for_the_step_and_then_stages) {
  expect_within_one_percent(milliseconds_per_step(HostMemory::kPageable, false, CopyStream::kSame),
                            39.3);
}

TEST(TransferTable, pinned_copies_at_the_links_rate) {
  expect_within_one_percent(milliseconds_per_step(HostMemory::kPinned, false, CopyStream::kSame),
                            26.2);
}

TEST(TransferTable, non_blocking_on_the_same_stream_gains_nothing) {
  expect_within_one_percent(milliseconds_per_step(HostMemory::kPinned, true, CopyStream::kSame),
                            26.2);
}

TEST(TransferTable, a_side_stream_hides_the_copy) {
  expect_within_one_percent(milliseconds_per_step(HostMemory::kPinned, true, CopyStream::kSide),
                            20.0);
}

TEST(TransferTable, a_wait_per_step_removes_the_gain_of_the_side_stream) {
  expect_within_one_percent(milliseconds_per_step(HostMemory::kPinned, true, CopyStream::kSide, 1),
                            26.2);
}

TEST(TransferTable, prefetching_to_the_device_restores_the_gain) {
  expect_within_one_percent(
      milliseconds_per_step(HostMemory::kPinned, true, CopyStream::kSame, 1, 1), 20.0);
}

}  // namespace
}  // namespace feedrate
