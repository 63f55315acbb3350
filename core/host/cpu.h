// SPDX-License-Identifier: Apache-2.0
// The processors of this machine, and how many this process may use. Any thread.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace feedrate {

struct CpuInfo {
  std::string model;                   ///< empty if unknown
  int online = 0;                      ///< logical CPUs
  int allowed = 0;                     ///< by affinity: taskset, a batch system, a cpuset
  std::optional<double> cgroup_quota;  ///< in CPUs
  int numa_nodes = 1;
  std::string governor;     ///< of CPU 0, "performance"; empty if not visible
  bool is_virtual = false;  ///< a hypervisor is visible
};

/// Logical CPUs that the calling thread may run on. Throws SystemError.
[[nodiscard]] int allowed_cpus();

[[nodiscard]] CpuInfo read_cpu_info(const std::filesystem::path& root = "/",
                                    int allowed = allowed_cpus());

/// The smaller one of affinity and quota, at least 1. A part of a CPU counts as one, since it can
/// run a thread.
[[nodiscard]] int usable_cpus(const CpuInfo& info);
[[nodiscard]] int usable_cpus();

}  // namespace feedrate
