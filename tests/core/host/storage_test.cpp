// SPDX-License-Identifier: Apache-2.0
#include "core/host/storage.h"

#include <gtest/gtest.h>

#include "tests/core/host/fake_root.h"

namespace feedrate {
namespace {

TEST(StorageInfo, names_the_mount_of_a_path) {
  const FakeRoot root;
  root.write("proc/self/mountinfo",
             "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
             "22 21 0:40 / " +
                 std::filesystem::canonical(root.path()).string() +
                 " rw - nfs4 server:/export rw\n");
  const StorageInfo info = read_storage_info(root.path(), root.path());
  EXPECT_EQ(info.file_system, "nfs4");
  EXPECT_EQ(info.device, "server:/export");
  EXPECT_TRUE(info.is_network);
  EXPECT_GT(info.free_bytes, 0U);
}

TEST(StorageInfo, of_a_missing_path_is_that_of_its_parent_folder) {
  const FakeRoot root;
  const StorageInfo here = read_storage_info(root.path());
  const StorageInfo below = read_storage_info(root.path() / "not" / "yet");
  EXPECT_EQ(below.file_system, here.file_system);
  EXPECT_EQ(below.mount_point, here.mount_point);
}

TEST(StorageInfo, gives_the_kernels_number_where_no_mount_is_known) {
  const FakeRoot root;
  const StorageInfo info = read_storage_info(root.path(), root.path());
  EXPECT_EQ(info.file_system.substr(0, 2), "0x");
  EXPECT_FALSE(info.is_network);
}

TEST(StorageInfo, of_an_object_is_its_bucket) {
  const StorageInfo info = read_storage_info("s3://bucket/a.tar");
  EXPECT_EQ(info.file_system, "s3");
  EXPECT_EQ(info.device, "bucket");
  EXPECT_TRUE(info.is_network);
}

TEST(NetworkFileSystem, is_what_other_machines_share) {
  for (const char* const type :
       {"nfs", "nfs4", "lustre", "gpfs", "beegfs", "ceph", "cifs", "fuse", "fuse.sshfs"}) {
    EXPECT_TRUE(is_network_file_system(type)) << type;
  }
  for (const char* const type : {"ext4", "xfs", "tmpfs", "overlay", "fuseblk", "btrfs"}) {
    EXPECT_FALSE(is_network_file_system(type)) << type;
  }
}

}  // namespace
}  // namespace feedrate
