// SPDX-License-Identifier: Apache-2.0
#include "core/host/memory.h"

#include <array>
#include <cstring>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/core/host/fake_root.h"

namespace feedrate {
namespace {

TEST(MemoryInfo, reads_the_kernels_table) {
  const FakeRoot root;
  root.write("proc/meminfo", "MemTotal:       1000 kB\nMemFree: 1 kB\nMemAvailable:    600 kB\n");
  const MemoryInfo info = read_memory_info(root.path());
  EXPECT_EQ(info.total, 1000U * 1024U);
  EXPECT_EQ(info.available, 600U * 1024U);
  EXPECT_EQ(info.cgroup_limit, std::nullopt);
  EXPECT_EQ(info.shm_size, std::nullopt);
}

// The host of a virtual machine gives back the memory in a balloon.
TEST(MemoryInfo, may_grow_where_a_balloon_is_filled) {
  const FakeRoot root;
  EXPECT_FALSE(read_memory_info(root.path()).may_grow);
  root.write("proc/vmstat", "nr_free_pages 7\nballoon_inflate 9\nballoon_deflate 9\n");
  EXPECT_FALSE(read_memory_info(root.path()).may_grow);
  root.write("proc/vmstat", "nr_free_pages 7\nballoon_inflate 9\nballoon_deflate 2\n");
  EXPECT_TRUE(read_memory_info(root.path()).may_grow);
}

TEST(MemoryInfo, may_grow_where_virtio_mem_has_a_device) {
  const FakeRoot root;
  root.write("sys/bus/virtio/drivers/virtio_mem/bind", "");
  EXPECT_FALSE(read_memory_info(root.path()).may_grow);
  root.write("sys/bus/virtio/drivers/virtio_mem/virtio3", "");
  EXPECT_TRUE(read_memory_info(root.path()).may_grow);
}

TEST(MemoryInfo, of_this_machine_is_plausible) {
  const MemoryInfo info = read_memory_info();
  EXPECT_GT(info.total, 0U);
  EXPECT_LE(info.available, info.total);
  EXPECT_LE(info.shm_free.value_or(0), info.shm_size.value_or(0));
}

TEST(MemoryUse, takes_the_files_in_the_page_cache_without_shared_memory) {
  const FakeRoot root;
  root.write(
      "proc/meminfo",
      "MemAvailable: 600 kB\nBuffers: 5 kB\nCached: 100 kB\nSwapCached: 9 kB\nShmem: 30 kB\n");
  EXPECT_EQ(read_memory_use(root.path()).available, 600U * 1024U);
  EXPECT_EQ(read_memory_use(root.path()).page_cache, 75U * 1024U);
}

TEST(ProcessTreePss, adds_up_children_of_every_thread_and_grandchildren) {
  const FakeRoot root;
  root.write("proc/100/smaps_rollup", "00-ff ---p 0 00:00 0 [rollup]\nRss: 99 kB\nPss: 10 kB\n");
  root.write("proc/100/task/100/children", "200 ");
  root.write("proc/100/task/101/children", "300 ");
  root.write("proc/200/smaps_rollup", "Pss: 20 kB\n");
  root.write("proc/200/task/200/children", "400 ");
  root.write("proc/300/smaps_rollup", "Pss: 30 kB\n");
  root.write("proc/400/smaps_rollup", "Pss: 40 kB\n");
  EXPECT_EQ(process_tree_pss(root.path(), 100), 100U * 1024U);
}

// Memory that a fork server shares with a child counts, its private memory does not.
TEST(ProcessTreePss, leaves_out_the_private_memory_of_a_server) {
  const FakeRoot root;
  root.write("proc/100/smaps_rollup", "Pss: 10 kB\n");
  root.write("proc/100/task/100/children", "200 300");
  root.write("proc/200/smaps_rollup", "Pss: 70 kB\nPrivate_Clean: 10 kB\nPrivate_Dirty: 40 kB\n");
  root.write("proc/200/stat", "200 (a (b) c) S 100 200 100 0\n");
  root.write("proc/200/task/200/children", "400");
  root.write("proc/300/smaps_rollup", "Pss: 30 kB\nPrivate_Dirty: 30 kB\n");
  root.write("proc/300/stat", "300 (worker) S 100 100 100 0\n");
  root.write("proc/400/smaps_rollup", "Pss: 40 kB\nPrivate_Dirty: 20 kB\n");
  root.write("proc/400/stat", "400 (child) S 200 400 100 0\n");
  EXPECT_EQ(process_tree_pss(root.path(), 100), (10U + 20U + 30U + 40U) * 1024U);
}

TEST(ProcessTreePss, takes_the_resident_set_where_pss_is_not_shown) {
  const FakeRoot root;
  root.write("proc/100/status", "Name: x\nVmRSS:      77 kB\n");
  EXPECT_EQ(process_tree_pss(root.path(), 100), 77U * 1024U);
}

TEST(ProcessTreePss, counts_a_process_that_is_gone_as_nothing) {
  const FakeRoot root;
  root.write("proc/100/smaps_rollup", "Pss: 10 kB\n");
  root.write("proc/100/task/100/children", "200");
  EXPECT_EQ(process_tree_pss(root.path(), 100), 10U * 1024U);
}

TEST(ProcessTreePss, ends_if_processes_name_each_other) {
  const FakeRoot root;
  root.write("proc/100/smaps_rollup", "Pss: 10 kB\n");
  root.write("proc/100/task/100/children", "100");
  EXPECT_EQ(process_tree_pss(root.path(), 100), 10U * 1024U);
}

class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe(ends_.data()), 0); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(ends_[0]);
    close(ends_[1]);
  }
  void wait() const {
    char byte = 0;
    EXPECT_EQ(read(ends_[0], &byte, 1), 1);
  }
  void signal() const { EXPECT_EQ(write(ends_[1], "x", 1), 1); }

 private:
  std::array<int, 2> ends_{};
};

TEST(ProcessTreePss, sees_the_memory_of_a_live_child) {
  constexpr std::size_t kSize = 64U << 20;
  const std::uint64_t before = process_tree_pss();
  const Pipe ready;
  const Pipe done;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    void* const block =
        mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) _exit(1);
    std::memset(block, 1, kSize);
    ready.signal();
    done.wait();
    _exit(0);
  }
  ready.wait();
  const std::uint64_t with_child = process_tree_pss();
  done.signal();
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_GE(with_child, before + kSize / 2);
}

TEST(PrivateMemory, is_what_no_other_process_has_mapped) {
  const FakeRoot root;
  root.write("proc/7/smaps_rollup", "Pss: 90 kB\nPrivate_Clean: 10 kB\nPrivate_Dirty: 30 kB\n");
  EXPECT_EQ(private_memory(root.path(), 7), 40U * 1024);
  root.write("proc/8/status", "VmRSS: 90 kB\nRssAnon: 50 kB\n");
  EXPECT_EQ(private_memory(root.path(), 8), 50U * 1024) << "without smaps_rollup";
  EXPECT_EQ(private_memory(root.path(), 9), 0U);
}

}  // namespace
}  // namespace feedrate
