// SPDX-License-Identifier: Apache-2.0
#include "bench/ranks/node_layout.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <system_error>

#include "core/error.h"
#include "core/host/text_file.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

CpuList list_in(const fs::path& file) {
  try {
    return parse_cpu_list(read_trimmed(file));
  } catch (const Error&) {
    return {};
  }
}

std::map<int, int> node_of_cpus(const fs::path& system) {
  std::map<int, int> nodes;
  for (const int node : list_in(system / "node/online")) {
    for (const int cpu : list_in(system / "node" / ("node" + std::to_string(node)) / "cpulist")) {
      nodes[cpu] = node;
    }
  }
  return nodes;
}

std::vector<PhysicalCore> read_cores(const fs::path& system) {
  const std::map<int, int> nodes = node_of_cpus(system);
  std::vector<PhysicalCore> cores;
  for (const int cpu : list_in(system / "cpu/online")) {
    const fs::path topology = system / "cpu" / ("cpu" + std::to_string(cpu)) / "topology";
    CpuList siblings = list_in(topology / "thread_siblings_list");
    if (siblings.empty()) siblings = {cpu};
    if (siblings.front() != cpu) continue;  // The core was added with its first thread.
    const auto node = nodes.find(cpu);
    cores.push_back({.cpus = std::move(siblings), .node = node == nodes.end() ? 0 : node->second});
  }
  return cores;
}

// Vendor 0x10de is NVIDIA, class 0x03.... a display controller.
bool is_gpu(const fs::path& device) {
  return read_trimmed(device / "vendor") == "0x10de" &&
         read_trimmed(device / "class").starts_with("0x03");
}

std::vector<std::string> find_gpus(const fs::path& devices) {
  std::vector<std::string> ids;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(devices, none)) {
    if (is_gpu(entry.path())) ids.push_back(entry.path().filename().string());
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

// NVML and CUDA write "00000000:3B:00.0", the kernel writes "0000:3b:00.0".
std::string kernel_id(std::string id) {
  std::transform(id.begin(), id.end(), id.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::size_t kLength = 12;
  return id.size() > kLength ? id.substr(id.size() - kLength) : id;
}

}  // namespace

NodeLayout read_node_layout(const fs::path& root, const std::vector<std::string>& gpu_bus_ids) {
  const fs::path devices = root / "sys/bus/pci/devices";
  NodeLayout layout;
  layout.cores = read_cores(root / "sys/devices/system");
  for (const std::string& id : gpu_bus_ids.empty() ? find_gpus(devices) : gpu_bus_ids) {
    GpuLocation& gpu = layout.gpus.emplace_back();
    gpu.bus_id = kernel_id(id);
    // The file has -1, which does not parse, if the machine has one node or does not report it.
    const auto node = parse_unsigned(read_trimmed(devices / gpu.bus_id / "numa_node"));
    if (node) gpu.node = static_cast<int>(*node);
  }
  return layout;
}

}  // namespace feedrate
