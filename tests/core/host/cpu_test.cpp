// SPDX-License-Identifier: Apache-2.0
#include "core/host/cpu.h"

#include <thread>

#include <gtest/gtest.h>
#include <sched.h>

#include "tests/core/host/fake_root.h"

namespace feedrate {
namespace {

CpuInfo info_of(int allowed, std::optional<double> quota) {
  CpuInfo info;
  info.allowed = allowed;
  info.cgroup_quota = quota;
  return info;
}

TEST(CpuInfo, describes_an_x86_machine) {
  const FakeRoot root;
  root.write("proc/cpuinfo",
             "processor\t: 0\nmodel name\t: AMD EPYC 7763\nflags\t\t: fpu hypervisor sse\n");
  root.write("sys/devices/system/cpu/online", "0-3,8\n");
  root.write("sys/devices/system/node/online", "0-1\n");
  root.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  const CpuInfo info = read_cpu_info(root.path(), 4);
  EXPECT_EQ(info.model, "AMD EPYC 7763");
  EXPECT_EQ(info.online, 5);
  EXPECT_EQ(info.allowed, 4);
  EXPECT_EQ(info.numa_nodes, 2);
  EXPECT_EQ(info.governor, "powersave");
  EXPECT_TRUE(info.is_virtual);
}

TEST(CpuInfo, counts_processors_where_the_list_is_missing) {
  const FakeRoot root;
  root.write("proc/cpuinfo", "processor : 0\nprocessor : 1\nprocessor : 2\ncpu : POWER9\n");
  const CpuInfo info = read_cpu_info(root.path(), 1);
  EXPECT_EQ(info.online, 3);
  EXPECT_EQ(info.model, "POWER9");
  EXPECT_EQ(info.numa_nodes, 1);
  EXPECT_FALSE(info.is_virtual);
}

TEST(CpuInfo, distinguishes_arm_servers_by_the_numbers_of_their_cores) {
  const FakeRoot root;
  root.write("proc/cpuinfo",
             "processor\t: 0\nFeatures\t: fp asimd sve2\nCPU implementer\t: 0x41\n"
             "CPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0xd4f\n");
  EXPECT_EQ(read_cpu_info(root.path(), 1).model, "implementer 0x41, part 0xd4f");
}

TEST(CpuInfo, ignores_invalid_lists) {
  const FakeRoot root;
  for (const char* const list : {"3-1", "0-99999999999", ",,", "x", "1-"}) {
    root.write("sys/devices/system/cpu/online", list);
    EXPECT_EQ(read_cpu_info(root.path(), 2).online, 2) << list;
  }
}

TEST(UsableCpus, are_limited_by_affinity_and_by_quota) {
  EXPECT_EQ(usable_cpus(info_of(8, std::nullopt)), 8);
  EXPECT_EQ(usable_cpus(info_of(8, 16.0)), 8);
  EXPECT_EQ(usable_cpus(info_of(8, 2.0)), 2);
  EXPECT_EQ(usable_cpus(info_of(8, 1.5)), 2);
  EXPECT_EQ(usable_cpus(info_of(8, 0.1)), 1);
}

TEST(AllowedCpus, follow_the_affinity_of_the_thread) {
  int allowed = 0;
  std::thread([&] {
    cpu_set_t all;
    ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
    int first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    allowed = allowed_cpus();
  }).join();
  EXPECT_EQ(allowed, 1);
}

TEST(UsableCpus, of_this_machine_are_at_least_one_and_not_more_than_are_online) {
  EXPECT_GE(usable_cpus(), 1);
  EXPECT_LE(usable_cpus(), read_cpu_info().online);
}

}  // namespace
}  // namespace feedrate
