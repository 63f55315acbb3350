// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/device/contract.h"

namespace feedrate {
namespace {

void expect_filled(Bytes bytes, int fill) {
  for (const std::byte value : bytes) ASSERT_EQ(std::to_integer<int>(value), fill);
}

TEST_P(DeviceContract, copied_bytes_return_unchanged) {
  for (const HostMemory kind : {HostMemory::kPageable, HostMemory::kPinned}) {
    for (const std::size_t size : {std::size_t{1}, 64 * kKiB, 64 * kKiB + 1, 3 * kMiB}) {
      const HostBuffer source = host(size, kind, 7);
      const HostBuffer target = host(size, kind, 0);
      const DeviceBuffer there = device_->allocate(size);
      DeviceStream& stream = device_->default_stream();
      stream.copy_to_device(there, source.bytes());
      stream.copy_to_host(target.bytes(), there);
      stream.synchronize();
      expect_filled(target.bytes(), 7);
    }
  }
}

TEST_P(DeviceContract, bytes_are_copied_within_the_device) {
  const HostBuffer source = host(3 * kMiB, HostMemory::kPinned, 7);
  const HostBuffer target = host(3 * kMiB, HostMemory::kPinned, 0);
  const DeviceBuffer first = device_->allocate(3 * kMiB);
  const DeviceBuffer second = device_->allocate(3 * kMiB);
  DeviceStream& stream = device_->default_stream();
  stream.copy_to_device(first, source.bytes());
  stream.copy_on_device(second, first);
  stream.copy_to_host(target.bytes(), second);
  stream.synchronize();
  expect_filled(target.bytes(), 7);
  EXPECT_THROW(stream.copy_on_device(device_->allocate(kMiB), first), DeviceError);
}

TEST_P(DeviceContract, a_part_of_the_device_buffer_can_be_read_back) {
  const HostBuffer source = host(2 * kMiB, HostMemory::kPinned, 5);
  const HostBuffer target = host(2 * kMiB, HostMemory::kPageable, 0);
  const DeviceBuffer there = device_->allocate(2 * kMiB);
  device_->default_stream().copy_to_device(there, source.bytes());
  device_->default_stream().copy_to_host(target.bytes().first(kMiB), there);
  expect_filled(target.bytes().first(kMiB), 5);
  expect_filled(target.bytes().subspan(kMiB), 0);
}

TEST_P(DeviceContract, refuses_a_copy_that_does_not_fit) {
  const HostBuffer here = host(2 * kKiB, HostMemory::kPinned, 1);
  const DeviceBuffer there = device_->allocate(kKiB);
  DeviceStream& stream = device_->default_stream();
  EXPECT_THROW(stream.copy_to_device(there, here.bytes()), DeviceError);
  EXPECT_THROW(stream.copy_to_host(here.bytes(), there), DeviceError);
}

TEST_P(DeviceContract, refuses_more_memory_than_it_has) {
  EXPECT_THROW(static_cast<void>(device_->allocate(device_->info().memory_bytes + kMiB)),
               DeviceError);
}

TEST_P(DeviceContract, a_stream_works_in_order) {
  const auto stream = device_->create_stream(StreamKind::kNonBlocking);
  const HostBuffer first = host(kMiB, HostMemory::kPinned, 1);
  const HostBuffer second = host(kMiB, HostMemory::kPinned, 2);
  const HostBuffer target = host(kMiB, HostMemory::kPinned, 0);
  const DeviceBuffer there = device_->allocate(kMiB);
  const auto start = recorded(*stream);
  stream->burn(kBurn);
  stream->copy_to_device(there, first.bytes());
  stream->copy_to_device(there, second.bytes());
  const auto copied = recorded(*stream);
  stream->copy_to_host(target.bytes(), there);
  stream->synchronize();
  expect_filled(target.bytes(), 2);
  EXPECT_GE(device_->elapsed(*start, *copied), kBurn);
}

TEST_P(DeviceContract, a_pinned_copy_returns_before_it_is_done) {
  const HostBuffer source = host(4 * kMiB, HostMemory::kPinned, 3);
  const DeviceBuffer there = device_->allocate(source.size());
  const auto stream = device_->create_stream(StreamKind::kNonBlocking);
  const Nanos issued = clock_->now();
  stream->burn(kBurn);
  stream->copy_to_device(there, source.bytes());
  const auto copied = recorded(*stream);
  expect_pending(*copied, issued + kBurn);
  copied->synchronize();
}

TEST_P(DeviceContract, the_source_of_a_pageable_copy_may_change_once_the_call_returns) {
  for (const std::size_t size : {kKiB, 64 * kKiB, 64 * kKiB + 1, 4 * kMiB}) {
    const HostBuffer source = host(size, HostMemory::kPageable, 3);
    const HostBuffer target = host(size, HostMemory::kPinned, 0);
    const DeviceBuffer there = device_->allocate(size);
    const auto stream = device_->create_stream(StreamKind::kNonBlocking);
    stream->burn(kBurn);
    stream->copy_to_device(there, source.bytes());
    std::memset(source.bytes().data(), 9, size);
    stream->copy_to_host(target.bytes(), there);
    stream->synchronize();
    SCOPED_TRACE(size);
    expect_filled(target.bytes(), 3);
  }
}

TEST_P(DeviceContract, a_copy_into_pageable_memory_is_done_when_it_returns) {
  const HostBuffer source = host(4 * kMiB, HostMemory::kPinned, 6);
  const HostBuffer target = host(4 * kMiB, HostMemory::kPageable, 0);
  const DeviceBuffer there = device_->allocate(source.size());
  const auto stream = device_->create_stream(StreamKind::kNonBlocking);
  stream->copy_to_device(there, source.bytes());
  stream->copy_to_host(target.bytes(), there);
  expect_filled(target.bytes(), 6);
}

TEST_P(DeviceContract, counts_the_pinned_memory_in_use) {
  EXPECT_EQ(device_->pinned_bytes(), 0U);
  {
    const HostBuffer one = device_->allocate_host(3 * kMiB, HostMemory::kPinned);
    const HostBuffer two = device_->allocate_host(kMiB, HostMemory::kPinned);
    const HostBuffer plain = device_->allocate_host(kMiB, HostMemory::kPageable);
    EXPECT_EQ(one.kind(), HostMemory::kPinned);
    EXPECT_EQ(plain.kind(), HostMemory::kPageable);
    EXPECT_EQ(device_->pinned_bytes(), 4 * kMiB);
  }
  EXPECT_EQ(device_->pinned_bytes(), 0U);
}

TEST_P(DeviceContract, empty_buffers_are_valid) {
  const HostBuffer pinned = device_->allocate_host(0, HostMemory::kPinned);
  const HostBuffer plain = device_->allocate_host(0, HostMemory::kPageable);
  const DeviceBuffer there = device_->allocate(0);
  EXPECT_EQ(pinned.size() + plain.size() + there.size(), 0U);
  EXPECT_EQ(device_->pinned_bytes(), 0U);
}

TEST_P(DeviceContract, freeing_pinned_memory_waits_for_the_device) {
  const auto stream = device_->create_stream(StreamKind::kNonBlocking);
  HostBuffer pinned = device_->allocate_host(kMiB, HostMemory::kPinned);
  stream->burn(kBurn);
  const auto burnt = recorded(*stream);
  pinned = {};
  EXPECT_TRUE(burnt->query());
}

}  // namespace
}  // namespace feedrate
