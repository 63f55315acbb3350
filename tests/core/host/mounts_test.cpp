// SPDX-License-Identifier: Apache-2.0
#include "core/host/mounts.h"

#include <gtest/gtest.h>

#include "tests/core/host/fake_root.h"

namespace feedrate {
namespace {

constexpr const char* kMountInfo =
    "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "30 21 0:40 / /data rw shared:2 master:3 - nfs4 server:/export rw,vers=4.2\n"
    "31 30 8:2 /sub /data/with\\040space rw - xfs /dev/sdb1 rw\n"
    "32 30 8:3 / /data rw - lustre mds:/l rw\n"
    "damaged line\n"
    "33 21 8:3 / /short rw\n";

std::vector<Mount> mounts() {
  const FakeRoot root;
  root.write("proc/self/mountinfo", kMountInfo);
  return read_mounts(root.path());
}

TEST(ReadMounts, parses_valid_lines_and_skips_damaged_ones) {
  const std::vector<Mount> all = mounts();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[1].type, "nfs4");
  EXPECT_EQ(all[1].source, "server:/export");
  EXPECT_EQ(all[2].root, "/sub");
  EXPECT_EQ(all[2].point, "/data/with space");
}

TEST(FindMount, takes_the_deepest_and_of_two_at_one_point_the_later) {
  const std::vector<Mount> all = mounts();
  EXPECT_EQ(find_mount(all, "/data/with space/x")->type, "xfs");
  EXPECT_EQ(find_mount(all, "/data/x")->type, "lustre");
  EXPECT_EQ(find_mount(all, "/data")->type, "lustre");
}

TEST(FindMount, compares_whole_names) {
  EXPECT_EQ(find_mount(mounts(), "/database")->type, "ext4");
}

TEST(FindMount, is_null_where_nothing_is_mounted) { EXPECT_EQ(find_mount({}, "/data"), nullptr); }

TEST(ReadMounts, sees_the_root_of_this_machine) {
  const std::vector<Mount> all = read_mounts();
  EXPECT_NE(find_mount(all, "/"), nullptr);
}

}  // namespace
}  // namespace feedrate
