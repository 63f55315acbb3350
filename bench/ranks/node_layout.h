// SPDX-License-Identifier: Apache-2.0
// The cores and GPUs of a machine, as sysfs has them.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/host/cpu_list.h"

namespace feedrate {

struct PhysicalCore {
  CpuList cpus;  ///< its hardware threads
  int node = 0;  ///< NUMA
};

struct GpuPlace {
  std::string bus_id;       ///< "0000:3b:00.0"
  std::optional<int> node;  ///< NUMA; nothing where the machine does not say
};

/// What of a machine decides where its ranks run.
struct NodeLayout {
  std::vector<PhysicalCore> cores;
  std::vector<GpuPlace> gpus;  ///< in the order of their bus, which is nvidia-smi's
};

/// From sysfs under `root`. GPUs: those of `gpu_bus_ids` in their order, else NVIDIA's that the bus
/// has. Any thread; what cannot be read is not there.
[[nodiscard]] NodeLayout read_node_layout(const std::filesystem::path& root = "/",
                                          const std::vector<std::string>& gpu_bus_ids = {});

}  // namespace feedrate
