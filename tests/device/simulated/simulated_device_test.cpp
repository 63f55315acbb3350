// SPDX-License-Identifier: Apache-2.0
// Exact times on the manual clock, computed by hand from round_spec().
#include "device/simulated/simulated_device.h"

#include <memory>

#include <gtest/gtest.h>

#include "core/clock.h"
#include "core/error.h"
#include "device/lost.h"
#include "tests/device/simulated/round_spec.h"

namespace feedrate {
namespace {

class SimulatedDeviceTest : public ::testing::Test {
 protected:
  template <typename Work>
  Nanos cost(Work&& work) {
    const Nanos start = clock_.now();
    work();
    return clock_.now() - start;
  }

  std::unique_ptr<DeviceEvent> recorded(DeviceStream& stream) {
    auto event = device_->create_event();
    stream.record(*event);
    return event;
  }

  ManualClock clock_;
  std::unique_ptr<Device> device_ = make_simulated_device(round_spec(), clock_);
  DeviceStream& stream_ = device_->default_stream();
};

TEST_F(SimulatedDeviceTest, calls_cost_the_caller_the_times_of_the_spec) {
  const DeviceBuffer buffer = device_->allocate(100);
  const HostBuffer pinned = device_->allocate_host(100, HostMemory::kPinned);
  const auto event = device_->create_event();
  EXPECT_EQ(cost([&] { stream_.copy_to_device(buffer, pinned.bytes()); }), Nanos(100));
  EXPECT_EQ(cost([&] { stream_.copy_to_host(pinned.bytes(), buffer); }), Nanos(100));
  EXPECT_EQ(cost([&] { stream_.burn(Nanos(1'000'000)); }), Nanos(50));
  EXPECT_EQ(cost([&] { stream_.record(*event); }), Nanos(20));
  EXPECT_EQ(cost([&] { stream_.wait(*event); }), Nanos(20));
  EXPECT_EQ(cost([&] { static_cast<void>(event->query()); }), Nanos(0));
}

TEST(LostDevice, fails_at_every_call_and_its_objects_can_be_destroyed) {
  ManualClock clock;
  SimulatedDeviceSpec spec = round_spec();
  spec.lost_after_launches = 2;
  const std::unique_ptr<Device> device = make_simulated_device(spec, clock);
  const DeviceBuffer buffer = device->allocate(100);
  const HostBuffer pinned = device->allocate_host(100, HostMemory::kPinned);
  const auto stream = device->create_stream(StreamKind::kNonBlocking);
  const auto event = device->create_event();
  stream->burn(Nanos(10));
  stream->burn(Nanos(10));
  stream->copy_to_device(buffer, pinned.bytes());
  EXPECT_THROW(stream->burn(Nanos(10)), DeviceLost);
  EXPECT_THROW(stream->burn(Nanos(10)), DeviceLost);
  EXPECT_THROW(stream->copy_to_device(buffer, pinned.bytes()), DeviceLost);
  EXPECT_THROW(stream->record(*event), DeviceLost);
  make_simulated_device(spec, clock)
      ->default_stream()
      .burn(Nanos(10));  // A newly opened device works.
}

TEST_F(SimulatedDeviceTest, an_idle_burn_ends_after_call_latency_and_duration) {
  const auto start = recorded(stream_);  // at 20
  stream_.burn(Nanos(1000));             // issued at 70, runs 75-1075
  const auto end = recorded(stream_);
  EXPECT_EQ(cost([&] { stream_.synchronize(); }), Nanos(1075 - 90));
  EXPECT_EQ(device_->elapsed(*start, *end), Nanos(50 + 5 + 1000));
}

TEST_F(SimulatedDeviceTest, a_queued_burn_takes_exactly_its_duration) {
  stream_.burn(Nanos(10'000));
  const auto start = recorded(stream_);
  stream_.burn(Nanos(1000));
  const auto end = recorded(stream_);
  device_->synchronize();
  EXPECT_EQ(device_->elapsed(*start, *end), Nanos(1000));
}

TEST_F(SimulatedDeviceTest, pinning_costs_a_base_and_each_byte) {
  EXPECT_EQ(cost([&] { static_cast<void>(device_->allocate_host(500, HostMemory::kPinned)); }),
            Nanos(1000 + 500));
  EXPECT_EQ(cost([&] { static_cast<void>(device_->allocate_host(500, HostMemory::kPageable)); }),
            Nanos(0));
}

TEST_F(SimulatedDeviceTest, freeing_device_memory_waits_for_the_device) {
  DeviceBuffer buffer = device_->allocate(100);
  stream_.burn(Nanos(1000));  // issued at 50, runs 55-1055
  buffer = {};
  EXPECT_EQ(clock_.now(), Nanos(1055));
}

TEST_F(SimulatedDeviceTest, a_pageable_copy_waits_for_its_stream_and_returns_when_staged) {
  const DeviceBuffer buffer = device_->allocate(250);
  const HostBuffer plain = device_->allocate_host(250, HostMemory::kPageable);
  stream_.burn(Nanos(1000));                      // runs 55-1055
  stream_.copy_to_device(buffer, plain.bytes());  // staged from 1055 + 10 on
  EXPECT_EQ(clock_.now(), Nanos(1065 + 500));
  EXPECT_EQ(cost([&] { stream_.synchronize(); }), Nanos(50));  // the last piece
}

TEST_F(SimulatedDeviceTest, a_pageable_copy_does_not_wait_for_other_streams) {
  const DeviceBuffer buffer = device_->allocate(250);
  const HostBuffer plain = device_->allocate_host(250, HostMemory::kPageable);
  const auto side = device_->create_stream(StreamKind::kNonBlocking);
  stream_.burn(Nanos(1'000'000));
  EXPECT_EQ(cost([&] { side->copy_to_device(buffer, plain.bytes()); }), Nanos(100 + 10 + 500));
}

TEST_F(SimulatedDeviceTest, a_small_pageable_copy_returns_at_once) {
  const DeviceBuffer buffer = device_->allocate(250);
  const HostBuffer plain = device_->allocate_host(250, HostMemory::kPageable);
  stream_.burn(Nanos(1'000'000));
  EXPECT_EQ(cost([&] { stream_.copy_to_device(buffer, plain.bytes().first(64)); }), Nanos(100));
  EXPECT_GT(cost([&] { stream_.copy_to_device(buffer, plain.bytes().first(65)); }), Nanos(900'000));
}

TEST_F(SimulatedDeviceTest, even_a_small_copy_into_pageable_memory_is_done_when_it_returns) {
  const DeviceBuffer buffer = device_->allocate(250);
  const HostBuffer plain = device_->allocate_host(250, HostMemory::kPageable);
  EXPECT_EQ(cost([&] { stream_.copy_to_host(plain.bytes().first(50), buffer); }),
            Nanos(100 + 10 + 25 + 100));
  EXPECT_EQ(cost([&] { stream_.synchronize(); }), Nanos(0));
}

TEST_F(SimulatedDeviceTest, pinned_memory_is_recognized_by_its_address) {
  const DeviceBuffer buffer = device_->allocate(1000);
  const HostBuffer pinned = device_->allocate_host(1000, HostMemory::kPinned);
  EXPECT_EQ(cost([&] { stream_.copy_to_device(buffer, pinned.bytes().subspan(300, 500)); }),
            Nanos(100));
}

TEST_F(SimulatedDeviceTest, a_full_queue_blocks_the_caller_until_an_operation_ends) {
  SimulatedDeviceSpec spec = round_spec();
  spec.queue_depth = 4;
  const auto device = make_simulated_device(spec, clock_);
  for (int i = 0; i < 4; ++i) device->default_stream().burn(Nanos(10'000));
  EXPECT_EQ(clock_.now(), Nanos(200));
  device->default_stream().burn(Nanos(10'000));  // when the first ends, at 10'055
  EXPECT_EQ(clock_.now(), Nanos(10'055 + 50));
}

TEST_F(SimulatedDeviceTest, destroying_a_stream_does_not_wait) {
  auto side = device_->create_stream(StreamKind::kNonBlocking);
  side->burn(Nanos(1000));
  EXPECT_EQ(cost([&] { side.reset(); }), Nanos(0));
  EXPECT_EQ(cost([&] { device_->synchronize(); }), Nanos(1005));
}

TEST_F(SimulatedDeviceTest, exhausted_memory_is_refused_until_some_is_freed) {
  DeviceBuffer most = device_->allocate(900'000);
  EXPECT_NE(most.data(), nullptr);
  EXPECT_THROW(static_cast<void>(device_->allocate(100'001)), DeviceError);
  most = {};
  EXPECT_NO_THROW(static_cast<void>(device_->allocate(1'000'000)));
}

TEST_F(SimulatedDeviceTest, moves_no_bytes_unless_asked) {
  const DeviceBuffer buffer = device_->allocate(100);
  const HostBuffer pinned = device_->allocate_host(100, HostMemory::kPinned);
  pinned.bytes()[0] = std::byte{7};
  stream_.copy_to_device(buffer, pinned.bytes());
  pinned.bytes()[0] = std::byte{8};
  stream_.copy_to_host(pinned.bytes(), buffer);
  stream_.synchronize();
  EXPECT_EQ(pinned.bytes()[0], std::byte{8});
}

TEST_F(SimulatedDeviceTest, times_are_reproducible) {
  const auto run = [] {
    ManualClock clock;
    const auto device = make_simulated_device(find_simulated_preset("v100-pcie3"), clock);
    const DeviceBuffer buffer = device->allocate(1 << 20);
    const HostBuffer plain = device->allocate_host(1 << 20, HostMemory::kPageable);
    for (int i = 0; i < 10; ++i) {
      device->default_stream().copy_to_device(buffer, plain.bytes());
      device->default_stream().burn(Nanos(12'345));
    }
    device->synchronize();
    return clock.now();
  };
  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace feedrate
