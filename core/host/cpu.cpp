// SPDX-License-Identifier: Apache-2.0
#include "core/host/cpu.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "core/error.h"
#include "core/host/cgroup.h"
#include "core/host/cpu_list.h"
#include "core/host/text_file.h"

namespace feedrate {
namespace {

int count_processors(std::string_view cpuinfo) {
  const auto lines = split_lines(cpuinfo);
  return static_cast<int>(std::count_if(lines.begin(), lines.end(), [](std::string_view line) {
    return line.starts_with("processor") && line.find(':') != std::string_view::npos;
  }));
}

// The field is "model name" on x86, "cpu" on POWER, "Model" on some ARM boards.
std::string find_model(std::string_view cpuinfo) {
  for (const char* const name : {"model name", "cpu", "Model", "Hardware"}) {
    const std::string_view model = find_field(cpuinfo, name);
    if (!model.empty()) return std::string(model);
  }
  // Arm servers have only numbers: 0x41 and 0xd4f are Arm's Neoverse V2, as in Grace.
  const std::string_view part = find_field(cpuinfo, "CPU part");
  if (part.empty()) return "";
  return fmt::format("implementer {}, part {}", find_field(cpuinfo, "CPU implementer"), part);
}

bool has_hypervisor_flag(std::string_view cpuinfo) {
  const auto flags = split_words(find_field(cpuinfo, "flags"));
  return std::find(flags.begin(), flags.end(), "hypervisor") != flags.end();
}

}  // namespace

int allowed_cpus() { return static_cast<int>(allowed_cpu_list().size()); }

CpuInfo read_cpu_info(const std::filesystem::path& root, int allowed) {
  const std::string cpuinfo = read_text(root / "proc/cpuinfo").value_or("");
  const std::filesystem::path system = root / "sys/devices/system";
  CpuInfo info;
  info.model = find_model(cpuinfo);
  info.online = count_list(read_trimmed(system / "cpu/online"));
  if (info.online == 0) info.online = std::max(count_processors(cpuinfo), allowed);
  info.allowed = allowed;
  info.cgroup_quota = cgroup_cpu_quota(root);
  info.numa_nodes = std::max(1, count_list(read_trimmed(system / "node/online")));
  info.governor = read_trimmed(system / "cpu/cpu0/cpufreq/scaling_governor");
  info.is_virtual = has_hypervisor_flag(cpuinfo);
  return info;
}

int usable_cpus(const CpuInfo& info) {
  double usable = info.allowed;
  if (info.cgroup_quota) usable = std::min(usable, std::ceil(*info.cgroup_quota));
  return std::max(1, static_cast<int>(usable));
}

int usable_cpus() { return usable_cpus(read_cpu_info()); }

}  // namespace feedrate
