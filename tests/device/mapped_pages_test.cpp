// SPDX-License-Identifier: Apache-2.0
#include "device/mapped_pages.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "core/error.h"
#include "device/host_memory.h"

namespace feedrate {
namespace {

TEST(MappedPages, begin_a_huge_page_and_are_zero) {
  for (const std::size_t size : {std::size_t{1}, kHugePageBytes, 3 * kHugePageBytes + 17}) {
    const MappedPages pages = map_resident(size, std::nullopt);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pages.get()) % kHugePageBytes, 0U);
    const std::span bytes(pages.get(), size);
    EXPECT_TRUE(std::all_of(bytes.begin(), bytes.end(),
                            [](std::byte value) { return value == std::byte{0}; }));
    bytes.back() = std::byte{1};
  }
}

// Several threads touch the pages.
TEST(MappedPages, are_resident) {
  constexpr std::size_t kSize = std::size_t{40} << 20;
  const MappedPages pages = map_resident(kSize, std::nullopt);
  std::vector<unsigned char> resident(kSize / kPageBytes);
  ASSERT_EQ(mincore(pages.get(), kSize, resident.data()), 0);
  EXPECT_TRUE(std::all_of(resident.begin(), resident.end(), [](auto page) { return page & 1; }));
}

TEST(MappedPages, accept_a_preferred_node) {
  const MappedPages pages = map_resident(kHugePageBytes, 0);
  pages.get()[kHugePageBytes - 1] = std::byte{1};
}

TEST(MappedPages, refuse_impossible_sizes) {
  for (const std::size_t size :
       {std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max() / 4}) {
    EXPECT_THROW(static_cast<void>(map_resident(size, std::nullopt)), DeviceError);
  }
}

}  // namespace
}  // namespace feedrate
