// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/device/contract.h"

namespace feedrate {
namespace {

using namespace std::chrono_literals;

constexpr std::array kPolicies{SyncPolicy::kAuto, SyncPolicy::kSpin, SyncPolicy::kYield,
                               SyncPolicy::kBlock};

TEST_P(DeviceContract, waits_for_an_event_with_every_sync_policy) {
  for (const SyncPolicy policy : kPolicies) {
    const auto device = open({.sync = policy});
    const auto stream = device->create_stream(StreamKind::kNonBlocking);
    const auto event = device->create_event();
    const Nanos issued = clock_->now();
    stream->burn(5ms);
    stream->record(*event);
    event->synchronize();
    EXPECT_TRUE(event->query());
    EXPECT_GE(clock_->now() - issued, 5ms);
  }
}

TEST_P(DeviceContract, waits_for_a_stream_with_every_sync_policy) {
  for (const SyncPolicy policy : kPolicies) {
    const auto device = open({.sync = policy});
    const auto side = device->create_stream(StreamKind::kNonBlocking);
    for (DeviceStream* stream : {&device->default_stream(), side.get()}) {
      const Nanos issued = clock_->now();
      stream->burn(5ms);
      stream->synchronize();
      EXPECT_GE(clock_->now() - issued, 5ms);
    }
  }
}

// After a fork, the process that writes to a page first gets a copy of it.
TEST_P(DeviceContract, the_device_reads_registered_memory_written_after_a_fork) {
  const auto device = open({.pin_allocator = PinAllocator::kRegister});
  constexpr std::size_t kSize = 3 * kMiB + 5;
  const HostBuffer source = device->allocate_host(kSize, HostMemory::kPinned);
  const HostBuffer target = device->allocate_host(kSize, HostMemory::kPinned);
  std::memset(source.bytes().data(), 7, kSize);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  std::memset(source.bytes().data(), 8, kSize);
  const DeviceBuffer there = device->allocate(kSize);
  device->default_stream().copy_to_device(there, source.bytes());
  device->default_stream().copy_to_host(target.bytes(), there);
  device->synchronize();
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  for (const std::byte value : target.bytes()) ASSERT_EQ(std::to_integer<int>(value), 8);
}

TEST_P(DeviceContract, registered_memory_is_pinned_memory) {
  const auto device = open({.pin_allocator = PinAllocator::kRegister});
  constexpr std::size_t kSize = 3 * kMiB + 5;
  {
    const HostBuffer source = device->allocate_host(kSize, HostMemory::kPinned);
    const HostBuffer target = device->allocate_host(kSize, HostMemory::kPinned);
    EXPECT_EQ(source.kind(), HostMemory::kPinned);
    EXPECT_EQ(device->pinned_bytes(), 2 * kSize);
    std::memset(source.bytes().data(), 7, kSize);
    const DeviceBuffer there = device->allocate(kSize);
    const auto stream = device->create_stream(StreamKind::kNonBlocking);
    const Nanos issued = clock_->now();
    stream->burn(kBurn);
    stream->copy_to_device(there, source.bytes());
    const auto copied = device->create_event();
    stream->record(*copied);
    const bool done = copied->query();
    if (clock_->now() < issued + kBurn) {
      EXPECT_FALSE(done);
    }
    stream->copy_to_host(target.bytes(), there);
    stream->synchronize();
    EXPECT_EQ(std::memcmp(source.bytes().data(), target.bytes().data(), kSize), 0);
  }
  EXPECT_EQ(device->pinned_bytes(), 0U);
}

TEST_P(DeviceContract, freeing_registered_memory_waits_for_the_device) {
  const auto device = open({.pin_allocator = PinAllocator::kRegister});
  const auto stream = device->create_stream(StreamKind::kNonBlocking);
  HostBuffer pinned = device->allocate_host(kMiB, HostMemory::kPinned);
  const auto burnt = device->create_event();
  stream->burn(kBurn);
  stream->record(*burnt);
  pinned = {};
  EXPECT_TRUE(burnt->query());
}

}  // namespace
}  // namespace feedrate
