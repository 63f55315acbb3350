// SPDX-License-Identifier: Apache-2.0
#include "device/simulated/memory.h"

#include <limits>

#include <gtest/gtest.h>

#include "core/error.h"

namespace feedrate {
namespace {

TEST(PinnedMemory, finds_ranges_by_address) {
  PinnedMemory pinned;
  std::byte* data = pinned.add(allocate_pages(8192), 8000);
  EXPECT_TRUE(pinned.covers({data, 8000}));
  EXPECT_TRUE(pinned.covers({data + 7999, 1}));
  EXPECT_FALSE(pinned.covers({data + 1, 8000}));
  EXPECT_FALSE(pinned.covers({data - 1, 1}));
  EXPECT_FALSE(pinned.covers({data + 8000, 1}));
}

TEST(PinnedMemory, forgets_removed_allocations) {
  PinnedMemory pinned;
  std::byte* one = pinned.add(allocate_pages(4096), 4096);
  std::byte* two = pinned.add(allocate_pages(4096), 100);
  EXPECT_EQ(pinned.size(), 4196U);
  pinned.remove(one);
  EXPECT_EQ(pinned.size(), 100U);
  EXPECT_TRUE(pinned.covers({two, 100}));
}

TEST(DeviceMemory, limits_allocations_to_its_capacity) {
  DeviceMemory memory(1000, false);
  std::byte* first = memory.allocate(600);
  EXPECT_NE(first, nullptr);
  EXPECT_THROW(static_cast<void>(memory.allocate(401)), DeviceError);
  std::byte* second = memory.allocate(400);
  EXPECT_NE(second, first);
  memory.release(first, 600);
  EXPECT_NE(memory.allocate(600), nullptr);
}

TEST(DeviceMemory, an_absurd_size_is_refused) {
  DeviceMemory memory(1000, false);
  EXPECT_THROW(static_cast<void>(memory.allocate(std::numeric_limits<std::size_t>::max())),
               DeviceError);
}

TEST(HostPages, an_absurd_size_is_refused) {
  EXPECT_THROW(static_cast<void>(allocate_pages(std::numeric_limits<std::size_t>::max())),
               DeviceError);
}

}  // namespace
}  // namespace feedrate
