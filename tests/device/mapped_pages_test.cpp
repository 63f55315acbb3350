// SPDX-License-Identifier: Apache-2.0
#include "device/mapped_pages.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include <gtest/gtest.h>

#include "core/error.h"

namespace feedrate {
namespace {

TEST(MappedPages, begin_a_huge_page_and_are_zero) {
  for (const std::size_t size : {std::size_t{1}, kHugePageBytes, 3 * kHugePageBytes + 17}) {
    const MappedPages pages = map_huge(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pages.get()) % kHugePageBytes, 0U);
    const std::span bytes(pages.get(), size);
    EXPECT_TRUE(std::all_of(bytes.begin(), bytes.end(),
                            [](std::byte value) { return value == std::byte{0}; }));
    bytes.back() = std::byte{1};
  }
}

TEST(MappedPages, refuse_impossible_sizes) {
  for (const std::size_t size :
       {std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max() / 4}) {
    EXPECT_THROW(static_cast<void>(map_huge(size)), DeviceError);
  }
}

}  // namespace
}  // namespace feedrate
