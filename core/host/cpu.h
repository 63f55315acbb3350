// SPDX-License-Identifier: Apache-2.0
// The processors of this machine, and how many of them this process may use. Any thread.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace feedrate {

struct CpuInfo {
  std::string model;                   ///< empty where the machine does not tell
  int online = 0;                      ///< logical CPUs
  int allowed = 0;                     ///< by affinity: taskset, a batch system, a cpuset
  std::optional<double> cgroup_quota;  ///< in CPUs
  int numa_nodes = 1;
  std::string governor;     ///< of CPU 0, "performance"; empty where not visible
  bool is_virtual = false;  ///< a hypervisor shows itself
};

/// Logical CPUs that the calling thread may run on. Throws SystemError.
[[nodiscard]] int allowed_cpus();

/// `allowed` is a parameter for tests.
[[nodiscard]] CpuInfo read_cpu_info(const std::filesystem::path& root = "/",
                                    int allowed = allowed_cpus());

/// The smaller one of affinity and quota; a part of a CPU counts as one, since it can keep a thread
/// running. At least 1.
[[nodiscard]] int usable_cpus(const CpuInfo& info);
[[nodiscard]] int usable_cpus();

}  // namespace feedrate
