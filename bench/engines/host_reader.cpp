// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/host_reader.h"

#include <algorithm>

#include <unistd.h>

#include "core/host/cpu.h"
#include "core/host/cpu_list.h"
#include "core/host/io_counters.h"
#include "core/host/processes.h"

namespace feedrate {

HostReader::HostReader(const std::filesystem::path& dataset)
    : cpus_(allowed_cpu_list()), disk_(find_block_device(dataset)) {
  find_processes();
}

HostBounds HostReader::bounds() const {
  const MemoryInfo memory = read_memory_info();
  const CpuInfo cpu = read_cpu_info();
  HostBounds bounds{.cpus = static_cast<double>(cpu.allowed),
                    .memory = memory.total,
                    .memory_limit = memory.cgroup_limit,
                    .link_speeds = {}};
  if (cpu.cgroup_quota) bounds.cpus = std::min(bounds.cpus, *cpu.cgroup_quota);
  for (const NetworkInterface& interface : read_network()) {
    if (const auto speed = link_speed(interface.name)) bounds.link_speeds[interface.name] = *speed;
  }
  return bounds;
}

void HostReader::find_processes() { processes_ = process_tree("/", ::getpid()); }

HostSnapshot HostReader::read(double at) const {
  HostSnapshot snapshot;
  snapshot.at = at;
  snapshot.cpus = read_cpu_times(cpus_);
  for (const pid_t process : processes_) {
    if (const auto seconds = cpu_seconds_of(process))
      snapshot.processes.push_back({process, *seconds});
  }
  snapshot.memory = read_memory_use();
  if (disk_) snapshot.disk = read_disk_bytes(*disk_);
  snapshot.network = read_network();
  return snapshot;
}

ForeignMark HostReader::mark_foreign() const {
  ForeignMark mark{.cpu = mark_cpu_load(cpus_), .disk_bytes = std::nullopt};
  const std::optional<DiskBytes> disk = disk_ ? read_disk_bytes(*disk_) : std::nullopt;
  if (!disk) return mark;
  mark.disk_bytes = static_cast<double>(disk->read + disk->written);
  for (const pid_t process : process_tree("/", ::getpid())) {
    *mark.disk_bytes -= static_cast<double>(storage_bytes_of(process).value_or(0));
  }
  return mark;
}

}  // namespace feedrate
