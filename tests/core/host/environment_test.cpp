// SPDX-License-Identifier: Apache-2.0
#include "core/host/environment.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/host/fake_root.h"
#include "tests/support/scoped_variable.h"

namespace feedrate {
namespace {

using ::testing::StartsWith;

HostState quiet_machine() {
  HostState state;
  state.cpu.online = 8;
  state.cpu.allowed = 8;
  state.cpu.governor = "performance";
  state.memory.shm_size = std::uint64_t{8} << 30;
  state.build = {"RelWithDebInfo", "GNU 12.2.0"};
  return state;
}

StorageInfo network_storage() {
  return {.file_system = "lustre",
          .device = "mds:/x",
          .mount_point = "/x",
          .free_bytes = 1,
          .is_network = true};
}

std::string fact(const std::vector<HostFact>& facts, const std::string& name) {
  const auto found = std::find_if(facts.begin(), facts.end(), [&](const HostFact& candidate) {
    return candidate.name == name;
  });
  return found == facts.end() ? "missing" : found->value;
}

struct WarningCase {
  void (*change)(HostState&);
  std::vector<const char*> warnings;  ///< the beginning of each
};

TEST(HostWarnings, name_what_is_to_doubt) {
  const std::vector<WarningCase> cases{
      {[](HostState&) {}, {}},
      {[](HostState& state) { state.build.build_type = "Debug"; },
       {"This program was built without optimization: build it with the release preset."}},
      {[](HostState& state) { state.build.build_type = ""; },
       {"This program was built without optimization: build it with the release preset."}},
      {[](HostState& state) { state.cpu.allowed = 2; },
       {"This process may use only 2 of the machine's 8 CPUs; others may use the rest."}},
      {[](HostState& state) { state.cpu.cgroup_quota = 8.0; }, {}},
      {[](HostState& state) { state.cpu.cgroup_quota = 2.5; },
       {"A cgroup quota limits this process to 2.5 CPUs: bursts are throttled."}},
      {[](HostState& state) { state.cpu.governor = "powersave"; }, {""}},
      {[](HostState& state) { state.cpu.governor = ""; }, {}},
      {[](HostState& state) { state.cpu.is_virtual = true; }, {""}},
      {[](HostState& state) { state.memory.shm_size = 64U << 20; },
       {"/dev/shm has only 67.1 MB; loaders with worker processes pass batches through it."}},
      {[](HostState& state) { state.memory.shm_size = std::nullopt; },
       {"/dev/shm does not exist; loaders with worker processes need it to pass batches."}},
      {[](HostState& state) { state.memory.may_grow = true; }, {""}},
      {[](HostState& state) { state.storage = network_storage(); }, {""}}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    HostState state = quiet_machine();
    cases[i].change(state);
    const std::vector<std::string> found = host_warnings(state);
    ASSERT_EQ(found.size(), cases[i].warnings.size()) << i;
    for (std::size_t at = 0; at < found.size(); ++at) {
      EXPECT_THAT(found[at], StartsWith(cases[i].warnings[at])) << i;
    }
  }
}

TEST(HostFacts, name_a_network_file_system) {
  HostState state = quiet_machine();
  state.storage = network_storage();
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
