// SPDX-License-Identifier: Apache-2.0
#include "core/host/block_device.h"

#include <gtest/gtest.h>

#include "tests/core/host/fake_root.h"

namespace feedrate {
namespace {

constexpr const char* kDiskstats =
    " 7 0 loop0 0 0 0 0 0 0 0 0 0 0 0\n"
    " 254 0 vda 10 1 2000 5 7 2 300 9 0 5 14\n"
    " 254 1 vda1 1 0 8 1 0 0 0 0 0 1 1\n"
    " 8 0 sda torn\n";

TEST(DiskBytes, are_sectors_of_512_bytes_of_the_device_with_these_numbers) {
  const FakeRoot root;
  root.write("proc/diskstats", kDiskstats);
  const auto bytes = read_disk_bytes({254, 0}, root.path());
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->read, 2000U * 512U);
  EXPECT_EQ(bytes->written, 300U * 512U);
  EXPECT_EQ(read_disk_bytes({254, 1}, root.path())->read, 8U * 512U);
}

TEST(DiskBytes, are_unknown_for_a_device_that_is_not_listed) {
  const FakeRoot root;
  root.write("proc/diskstats", kDiskstats);
  EXPECT_FALSE(read_disk_bytes({254, 9}, root.path()));
  EXPECT_FALSE(read_disk_bytes({8, 0}, root.path()));
}

TEST(BlockDevice, is_unknown_for_memory_and_for_a_missing_path) {
  EXPECT_FALSE(find_block_device("/proc"));
  EXPECT_FALSE(find_block_device("/nothing/is/here"));
}

}  // namespace
}  // namespace feedrate
