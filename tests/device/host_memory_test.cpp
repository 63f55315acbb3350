#include "device/host_memory.h"

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "device/mapped_pages.h"

namespace feedrate {
namespace {

/// What /proc/self/smaps says of the mapping that holds `data`; " hg" if huge pages are asked for.
/// Empty where it says nothing.
std::string flags_of(const std::byte* data) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  std::ifstream maps("/proc/self/smaps");
  bool is_here = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) {
      is_here = begin <= address && address < end;
    } else if (is_here && line.starts_with("VmFlags:")) {
      return line;
    }
  }
  return {};
}

bool has_huge_pages() {
  return std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled").good();
}

std::uintptr_t address_of(const HostBuffer& buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer.bytes().data());
}

TEST(HostMemory, begins_a_page_and_a_huge_page_where_it_is_large) {
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
  if (!has_huge_pages()) GTEST_SKIP() << "this kernel has no huge pages to ask for";
  const HostBuffer buffer = allocate_pageable(8 * kHugePageBytes);
  const std::string flags = flags_of(buffer.bytes().data());
  if (flags.empty()) GTEST_SKIP() << "/proc/self/smaps says nothing of flags";
  EXPECT_NE(flags.find(" hg"), std::string::npos) << flags;
}

TEST(HostMemory, without_a_whole_huge_page_asks_for_none) {
  const HostBuffer buffer = allocate_pageable(2 * kHugePageBytes);
  prefer_huge_pages(buffer.bytes().subspan(1, kHugePageBytes));
  prefer_huge_pages({});
  buffer.bytes().front() = std::byte{1};
  EXPECT_EQ(allocate_pageable(0).size(), 0U);
}

}  // namespace
}  // namespace feedrate
