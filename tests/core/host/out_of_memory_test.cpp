// SPDX-License-Identifier: Apache-2.0
#include "core/host/out_of_memory.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

class OutOfMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    write("proc/self/mountinfo", "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    write("proc/self/cgroup", "0::/job\n");
    killed(3);
  }
  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((folder_ / file).parent_path());
    testing::write_file(folder_ / file, text);
  }
  void killed(int processes) const {
    write("sys/fs/cgroup/job/memory.events", "oom 9\noom_kill " + std::to_string(processes) + "\n");
  }

  testing::TempFolder folder_;
};

TEST_F(OutOfMemoryTest, is_no_cause_if_the_kernel_killed_no_process) {
  const OutOfMemory memory(folder_.path());
  EXPECT_EQ(memory.explain("worker process 1 was killed"), "worker process 1 was killed");
}

TEST_F(OutOfMemoryTest, precedes_the_reason_with_the_limit) {
  write("sys/fs/cgroup/job/memory.max", "512000000\n");
  const OutOfMemory memory(folder_.path());
  killed(4);
  EXPECT_EQ(
      memory.explain("worker process 1 was killed"),
      "out of memory: the kernel killed a process of this control group, whose limit is 512 MB; "
      "use fewer workers, or a smaller prefetch_factor or batch_size: worker process 1 was killed");
}

TEST_F(OutOfMemoryTest, counts_several_and_needs_no_limit) {
  const OutOfMemory memory(folder_.path());
  killed(5);
  EXPECT_EQ(memory.explain("x").substr(0, 73),
            "out of memory: the kernel killed 2 processes of this control group; use f");
}

TEST_F(OutOfMemoryTest, adds_nothing_if_the_kernel_does_not_count) {
  std::filesystem::remove(folder_ / "sys/fs/cgroup/job/memory.events");
  const OutOfMemory memory(folder_.path());
  EXPECT_EQ(memory.explain("x"), "x");
}

}  // namespace
}  // namespace feedrate
