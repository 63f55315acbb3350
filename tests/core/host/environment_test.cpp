// SPDX-License-Identifier: Apache-2.0
#include "core/host/environment.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/host/fake_root.h"
#include "tests/support/scoped_variable.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

HostState quiet_machine() {
  HostState state;
  state.cpu.online = 8;
  state.cpu.allowed = 8;
  state.cpu.governor = "performance";
  state.memory.shm_size = std::uint64_t{8} << 30;
  state.build = {"RelWithDebInfo", "GNU 12.2.0"};
  return state;
}

std::string fact(const std::vector<HostFact>& facts, const std::string& name) {
  const auto found = std::find_if(facts.begin(), facts.end(), [&](const HostFact& candidate) {
    return candidate.name == name;
  });
  return found == facts.end() ? "missing" : found->value;
}

TEST(HostWarnings, are_none_on_a_quiet_machine) {
  EXPECT_THAT(host_warnings(quiet_machine()), IsEmpty());
}

TEST(HostWarnings, name_a_debug_build) {
  HostState state = quiet_machine();
  for (const char* const type : {"Debug", ""}) {
    state.build.build_type = type;
    EXPECT_THAT(
        host_warnings(state),
        ElementsAre(
            "This program was built without optimization: build it with the release preset."));
  }
}

TEST(HostWarnings, name_cpus_that_are_not_allowed) {
  HostState state = quiet_machine();
  state.cpu.allowed = 2;
  EXPECT_THAT(
      host_warnings(state),
      ElementsAre("This process may use only 2 of the machine's 8 CPUs; others may use the rest."));
}

TEST(HostWarnings, name_a_quota_only_if_it_limits) {
  HostState state = quiet_machine();
  state.cpu.cgroup_quota = 8.0;
  EXPECT_THAT(host_warnings(state), IsEmpty());
  state.cpu.cgroup_quota = 2.5;
  EXPECT_THAT(host_warnings(state),
              ElementsAre("A cgroup quota limits this process to 2.5 CPUs: bursts are throttled."));
}

TEST(HostWarnings, name_the_governor_and_the_virtual_machine) {
  HostState state = quiet_machine();
  state.cpu.governor = "powersave";
  state.cpu.is_virtual = true;
  EXPECT_EQ(host_warnings(state).size(), 2U);
  state.cpu.governor = "";
  EXPECT_EQ(host_warnings(state).size(), 1U);
}

TEST(HostWarnings, name_a_small_or_missing_shm) {
  HostState state = quiet_machine();
  state.memory.shm_size = 64U << 20;
  EXPECT_THAT(
      host_warnings(state),
      ElementsAre(
          "/dev/shm has only 67.1 MB; loaders with worker processes pass batches through it."));
  state.memory.shm_size = std::nullopt;
  EXPECT_THAT(
      host_warnings(state),
      ElementsAre(
          "/dev/shm does not exist; loaders with worker processes need it to pass batches."));
}

TEST(HostWarnings, name_memory_that_may_grow) {
  HostState state = quiet_machine();
  state.memory.may_grow = true;
  EXPECT_EQ(host_warnings(state).size(), 1U);
}

TEST(HostWarnings, name_a_network_file_system) {
  HostState state = quiet_machine();
  state.storage = StorageInfo{.file_system = "lustre",
                              .device = "mds:/x",
                              .mount_point = "/x",
                              .free_bytes = 1,
                              .is_network = true};
  EXPECT_EQ(host_warnings(state).size(), 1U);
  EXPECT_EQ(fact(host_facts(state), "storage"), "lustre on mds:/x (network)");
}

TEST(HostState, comes_from_the_files_of_the_machine) {
  const FakeRoot root;
  root.write("proc/sys/kernel/hostname", "node7\n");
  root.write("proc/sys/kernel/osrelease", "6.1.0\n");
  root.write("etc/os-release", "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  root.write("proc/meminfo", "MemTotal: 65536000 kB\nMemAvailable: 1000000 kB\n");
  const std::vector<HostFact> facts =
      host_facts(read_host_state("", {"Release", "Clang 14.0.6"}, root.path()));
  EXPECT_EQ(fact(facts, "host_name"), "node7");
  EXPECT_EQ(fact(facts, "kernel"), "6.1.0");
  EXPECT_EQ(fact(facts, "os"), "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(fact(facts, "memory_total"), "67.1 GB");
  EXPECT_EQ(fact(facts, "cgroup_cpu_quota"), "none");
  EXPECT_EQ(fact(facts, "compiler"), "Clang 14.0.6");
  EXPECT_EQ(fact(facts, "cpu_model"), "missing");
  EXPECT_EQ(fact(facts, "storage"), "missing");
}

TEST(HostState, has_omp_num_threads) {
  const auto threads = [] {
    return fact(host_facts(read_host_state("", {"Release", "x"})), "omp_num_threads");
  };
  const testing::ScopedVariable none("OMP_NUM_THREADS", "");
  EXPECT_EQ(threads(), "unset");
  const testing::ScopedVariable two("OMP_NUM_THREADS", "2");
  EXPECT_EQ(threads(), "2");
}

TEST(HostState, of_this_machine_has_the_facts_every_result_needs) {
  const std::vector<HostFact> facts =
      host_facts(read_host_state(std::filesystem::current_path(), {"Release", "x"}));
  for (const char* const name :
       {"host_name", "kernel", "cpus_online", "cpus_allowed", "memory_total", "storage"}) {
    EXPECT_NE(fact(facts, name), "missing") << name;
  }
}

}  // namespace
}  // namespace feedrate
