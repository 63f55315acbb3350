// SPDX-License-Identifier: Apache-2.0
// The cores and GPUs of a machine, read from sysfs.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/host/cpu_list.h"

namespace feedrate {

struct PhysicalCore {
  CpuList cpus;  ///< its hardware threads
  int node = 0;  ///< NUMA node
};

struct GpuLocation {
  std::string bus_id;       ///< "0000:3b:00.0"
  std::optional<int> node;  ///< NUMA node; nothing if the machine does not report it
};

struct NodeLayout {
  std::vector<PhysicalCore> cores;
  std::vector<GpuLocation> gpus;  ///< in bus order, like nvidia-smi's
};

/// Reads sysfs under `root`. The GPUs are those of `gpu_bus_ids` in their order, or all NVIDIA GPUs
/// on the bus. Safe from any thread; entries that cannot be read are omitted.
[[nodiscard]] NodeLayout read_node_layout(const std::filesystem::path& root = "/",
                                          const std::vector<std::string>& gpu_bus_ids = {});

}  // namespace feedrate
