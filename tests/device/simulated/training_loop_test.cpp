// SPDX-License-Identifier: Apache-2.0
// Step times of a training loop on the bare device: a batch of 256 x 3 x 224 x 224 float32 per
// step, 20 ms of training, on the a100-pcie4 preset.
//
//   copy, pinned    154.14 MB / 25 GB/s =  6.17 ms
//   copy, pageable  154.14 MB /  8 GB/s = 19.27 ms
#include <array>
#include <functional>
#include <memory>

#include <gtest/gtest.h>

#include "core/clock.h"
#include "device/simulated/simulated_device.h"

namespace feedrate {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{256} * 3 * 224 * 224 * 4;
constexpr Nanos kStep = std::chrono::milliseconds(20);
constexpr int kSteps = 100;

class TrainingLoop : public ::testing::Test {
 protected:
  /// Milliseconds per step once the pipeline is full.
  double step_time(const std::function<void(int step)>& run_step) {
    int step = 0;
    for (; step < 10; ++step) run_step(step);
    device_->synchronize();
    const Nanos start = clock_.now();
    for (; step < 10 + kSteps; ++step) run_step(step);
    device_->synchronize();
    return to_seconds(clock_.now() - start) * 1e3 / kSteps;
  }

  ManualClock clock_;
  std::unique_ptr<Device> device_ =
      make_simulated_device(find_simulated_preset("a100-pcie4"), clock_);
  DeviceStream& compute_ = device_->default_stream();
  DeviceBuffer buffer_ = device_->allocate(kBatchBytes);
};

TEST_F(TrainingLoop, a_pageable_copy_adds_its_whole_time_to_the_step) {
  const HostBuffer batch = device_->allocate_host(kBatchBytes, HostMemory::kPageable);
  const double milliseconds = step_time([&](int) {
    compute_.copy_to_device(buffer_, batch.bytes());
    compute_.burn(kStep);
  });
  EXPECT_NEAR(milliseconds, 39.3, 0.01 * 39.3);
}

TEST_F(TrainingLoop, a_pinned_copy_takes_a_third_but_still_adds_to_the_step) {
  const HostBuffer batch = device_->allocate_host(kBatchBytes, HostMemory::kPinned);
  const double milliseconds = step_time([&](int) {
    compute_.copy_to_device(buffer_, batch.bytes());
    compute_.synchronize();
    compute_.burn(kStep);
  });
  EXPECT_NEAR(milliseconds, 26.2, 0.01 * 26.2);
}

TEST_F(TrainingLoop, non_blocking_on_the_same_stream_gains_nothing) {
  const HostBuffer batch = device_->allocate_host(kBatchBytes, HostMemory::kPinned);
  const double milliseconds = step_time([&](int) {
    compute_.copy_to_device(buffer_, batch.bytes());
    compute_.burn(kStep);
  });
  EXPECT_NEAR(milliseconds, 26.2, 0.01 * 26.2);
}

// While step k trains on one buffer, a side stream copies batch k+1 into the other.
TEST_F(TrainingLoop, a_side_stream_hides_the_copy) {
  const HostBuffer batch = device_->allocate_host(kBatchBytes, HostMemory::kPinned);
  const DeviceBuffer other = device_->allocate(kBatchBytes);
  const std::array<const DeviceBuffer*, 2> buffers{&buffer_, &other};
  const std::array copied{device_->create_event(), device_->create_event()};
  const std::array trained{device_->create_event(), device_->create_event()};
  const auto side = device_->create_stream(StreamKind::kNonBlocking);
  const auto prefetch = [&](std::size_t slot) {
    side->wait(*trained[slot]);
    side->copy_to_device(*buffers[slot], batch.bytes());
    side->record(*copied[slot]);
  };
  prefetch(0);
  const double milliseconds = step_time([&](int step) {
    const auto slot = static_cast<std::size_t>(step % 2);
    prefetch(1 - slot);
    compute_.wait(*copied[slot]);
    compute_.burn(kStep);
    compute_.record(*trained[slot]);
  });
  EXPECT_NEAR(milliseconds, 20.0, 0.01 * 20.0);
}

// The host waits for the loss, so the next copy is issued to an idle device.
TEST_F(TrainingLoop, a_side_stream_gains_nothing_if_the_copy_is_issued_after_the_sync) {
  const HostBuffer batch = device_->allocate_host(kBatchBytes, HostMemory::kPinned);
  const auto side = device_->create_stream(StreamKind::kNonBlocking);
  const auto copied = device_->create_event();
  const double milliseconds = step_time([&](int) {
    side->copy_to_device(buffer_, batch.bytes());
    side->record(*copied);
    compute_.wait(*copied);
    compute_.burn(kStep);
    compute_.synchronize();
  });
  EXPECT_NEAR(milliseconds, 26.2, 0.01 * 26.2);
}

}  // namespace
}  // namespace feedrate
