// SPDX-License-Identifier: Apache-2.0
#include "device/host_memory.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "device/mapped_pages.h"
#include "tests/support/huge_pages.h"

namespace feedrate {
namespace {

using testing::asks_for_huge_pages;

std::uintptr_t address_of(const HostBuffer& buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer.bytes().data());
}

TEST(HostMemory, begins_at_a_page_and_large_memory_at_a_huge_page) {
  EXPECT_EQ(address_of(allocate_pageable(100)) % kPageBytes, 0U);
  EXPECT_EQ(address_of(allocate_pageable(kHugePageBytes)) % kHugePageBytes, 0U);
  EXPECT_EQ(address_of(allocate_pageable(3 * kHugePageBytes + 17)) % kHugePageBytes, 0U);
}

TEST(HostMemory, can_be_used_to_its_last_byte) {
  for (const std::size_t size : {std::size_t{1}, kHugePageBytes - 1, 2 * kHugePageBytes + 1}) {
    const HostBuffer buffer = allocate_pageable(size);
    ASSERT_EQ(buffer.bytes().size(), size);
    buffer.bytes().back() = std::byte{7};
    EXPECT_EQ(buffer.bytes().back(), std::byte{7});
  }
}

TEST(HostMemory, of_a_large_batch_asks_for_huge_pages) {
  const HostBuffer buffer = allocate_pageable(8 * kHugePageBytes);
  const auto asks = asks_for_huge_pages(buffer.bytes().data());
  if (!asks) GTEST_SKIP() << "this kernel has no huge pages, or /proc/self/smaps lists no flags";
  EXPECT_TRUE(*asks);
}

// The heap would return memory that has been touched before.
TEST(HostMemory, of_a_large_batch_is_untouched_each_time) {
  for (int i = 0; i < 3; ++i) {
    const HostBuffer buffer = allocate_pageable(kHugePageBytes);
    EXPECT_EQ(buffer.bytes()[kPageBytes], std::byte{0});
    buffer.bytes()[kPageBytes] = std::byte{1};
  }
}

TEST(HostMemory, without_a_whole_huge_page_asks_for_none) {
  const MappedPages pages = map_huge(1);  // Begins at a huge page but is smaller than one.
  EXPECT_FALSE(asks_for_huge_pages(pages.get()).value_or(false));
}

}  // namespace
}  // namespace feedrate
