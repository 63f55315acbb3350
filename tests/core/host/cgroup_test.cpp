// SPDX-License-Identifier: Apache-2.0
#include "core/host/cgroup.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/core/host/fake_root.h"

namespace feedrate {
namespace {

constexpr const char* kV2Mount = "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";

FakeRoot v2_root(const std::string& group) {
  FakeRoot root;
  root.write("proc/self/mountinfo", kV2Mount);
  root.write("proc/self/cgroup", "0::" + group + "\n");
  return root;
}

struct GroupCase {
  const char* group;
  std::vector<std::pair<const char*, const char*>> files;  ///< below sys/fs
  std::optional<double> quota = std::nullopt;
  std::optional<std::uint64_t> memory = std::nullopt;
};

TEST(CgroupV2, has_the_limits_that_its_files_say) {
  const std::vector<GroupCase> cases{
      {"/job", {{"cgroup/job/cpu.max", "max 100000\n"}, {"cgroup/job/memory.max", "max\n"}}},
      {"/job",
       {{"cgroup/job/cpu.max", "150000 100000\n"}, {"cgroup/job/memory.max", "1073741824\n"}},
       1.5,
       1073741824U},
      // The tightest group around it.
      {"/slice/job",
       {{"cgroup/slice/cpu.max", "200000 100000\n"},
        {"cgroup/slice/job/cpu.max", "400000 100000\n"}},
       2.0},
      // In a container, the mount.
      {"/../outside",
       {{"cgroup/cpu.max", "300000 100000\n"}, {"outside/cpu.max", "100000 100000\n"}},
       3.0},
      // Nonsense.
      {"/job", {{"cgroup/job/cpu.max", "100000 0\n"}, {"cgroup/job/memory.max", "lots\n"}}}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const FakeRoot root = v2_root(cases[i].group);
    for (const auto& [file, text] : cases[i].files) root.write(std::string("sys/fs/") + file, text);
    EXPECT_EQ(cgroup_cpu_quota(root.path()), cases[i].quota) << i;
    EXPECT_EQ(cgroup_memory_limit(root.path()), cases[i].memory) << i;
  }
}

class CgroupV1 : public ::testing::Test {
 protected:
  CgroupV1() {
    root_.write(
        "proc/self/mountinfo",
        "30 1 0:26 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n"
        "31 1 0:27 / /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
    root_.write("proc/self/cgroup", "5:cpu,cpuacct:/docker/abc/inner\n4:memory:/user\n");
  }
  FakeRoot root_;
};

TEST_F(CgroupV1, reads_quota_and_limit_of_its_own_group) {
  root_.write("sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_quota_us", "250000\n");
  root_.write("sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_period_us", "100000\n");
  root_.write("sys/fs/cgroup/memory/user/memory.limit_in_bytes", "4096000\n");
  EXPECT_EQ(cgroup_cpu_quota(root_.path()), 2.5);
  EXPECT_EQ(cgroup_memory_limit(root_.path()), 4096000U);
}

TEST_F(CgroupV1, has_no_limit_at_minus_one_and_at_the_kernels_largest_number) {
  root_.write("sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_quota_us", "-1\n");
  root_.write("sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_period_us", "100000\n");
  root_.write("sys/fs/cgroup/memory/user/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(cgroup_cpu_quota(root_.path()), std::nullopt);
  EXPECT_EQ(cgroup_memory_limit(root_.path()), std::nullopt);
}

TEST(Cgroup, knows_no_limit_without_control_groups) {
  const FakeRoot root;
  EXPECT_EQ(cgroup_cpu_quota(root.path()), std::nullopt);
  EXPECT_EQ(cgroup_memory_limit(root.path()), std::nullopt);
}

TEST(Cgroup, of_this_machine_is_a_positive_number_where_there_is_one) {
  EXPECT_GT(cgroup_cpu_quota().value_or(1.0), 0.0);
  EXPECT_GT(cgroup_memory_limit().value_or(1), 0U);
}

TEST(OomKills, are_counted_by_both_versions) {
  const FakeRoot v2 = v2_root("/job");
  v2.write("sys/fs/cgroup/job/memory.events", "low 0\nhigh 5\nmax 9\noom 4\noom_kill 3\n");
  EXPECT_EQ(cgroup_oom_kills(v2.path()), 3U);
}

TEST(OomKills, are_those_of_the_memory_controller_in_version_1) {
  const FakeRoot v1;
  v1.write("proc/self/mountinfo",
           "30 1 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  v1.write("proc/self/cgroup", "4:memory:/job\n");
  v1.write("sys/fs/cgroup/memory/job/memory.oom_control",
           "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
  EXPECT_EQ(cgroup_oom_kills(v1.path()), 2U);
}

TEST(OomKills, are_unknown_where_the_kernel_does_not_count) {
  const FakeRoot root;
  EXPECT_EQ(cgroup_oom_kills(root.path()), std::nullopt);
}

TEST(CgroupMemoryFree, is_what_the_tightest_level_leaves) {
  const FakeRoot root = v2_root("/slice/job");
  EXPECT_EQ(cgroup_memory_free(root.path()), std::nullopt);
  root.write("sys/fs/cgroup/slice/job/memory.max", "10000\n");
  root.write("sys/fs/cgroup/slice/job/memory.high", "max\n");
  root.write("sys/fs/cgroup/slice/job/memory.current", "1000\n");
  EXPECT_EQ(cgroup_memory_free(root.path()), 9000U);
  root.write("sys/fs/cgroup/slice/memory.max", "11000\n");
  root.write("sys/fs/cgroup/slice/memory.current", "8000\n");
  root.write("sys/fs/cgroup/slice/memory.stat", "anon 7000\ninactive_file 400\nactive_file 600\n");
  EXPECT_EQ(cgroup_memory_free(root.path()), 4000U) << "page cache is free";
  root.write("sys/fs/cgroup/slice/job/memory.high", "1500\n");
  EXPECT_EQ(cgroup_memory_free(root.path()), 500U);
  root.write("sys/fs/cgroup/slice/job/memory.current", "20000\n");
  EXPECT_EQ(cgroup_memory_free(root.path()), 0U);
}

TEST_F(CgroupV1, memory_is_free_up_to_both_limits) {
  const std::string group = "sys/fs/cgroup/memory/user/";
  root_.write(group + "memory.limit_in_bytes", "10000\n");
  root_.write(group + "memory.usage_in_bytes", "3000\n");
  root_.write(group + "memory.stat",
              "inactive_file 9\ntotal_inactive_file 500\ntotal_active_file 500\n");
  EXPECT_EQ(cgroup_memory_free(root_.path()), 8000U);
  root_.write(group + "memory.memsw.limit_in_bytes", "12000\n");
  root_.write(group + "memory.memsw.usage_in_bytes", "9000\n");
  EXPECT_EQ(cgroup_memory_free(root_.path()), 4000U);
}

}  // namespace
}  // namespace feedrate
