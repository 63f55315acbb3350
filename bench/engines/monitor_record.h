// SPDX-License-Identifier: Apache-2.0
// The raw values that a monitor read while a cell ran. Counters are totals, so differences between
// two snapshots are exact although some are dropped.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "core/host/block_device.h"
#include "core/host/cpu_load.h"
#include "core/host/cpu_times.h"
#include "core/host/memory.h"
#include "core/host/network.h"

namespace feedrate {

struct ProcessTime {
  pid_t process = 0;
  double seconds = 0.0;  ///< CPU time
};

/// One snapshot of the machine.
struct HostSnapshot {
  double at = 0.0;                     ///< seconds since the monitor's start
  std::vector<CpuTime> cpus;           ///< the CPUs that this process may use
  std::vector<ProcessTime> processes;  ///< this process first, then its descendants
  MemoryUse memory;
  std::optional<DiskBytes> disk;  ///< traffic of the dataset's device
  std::vector<NetworkInterface> network;
};

/// Counters at one end of the window; foreign load is the difference of two.
struct ForeignMark {
  CpuLoadMark cpu;
  std::optional<double> disk_bytes;  ///< traffic of the dataset's device, without our own
};

struct MemorySnapshot {
  double at = 0.0;
  std::uint64_t tree_pss = 0;  ///< PSS of this process and its descendants, in bytes
};

/// Upper bounds of this machine.
struct HostBounds {
  double cpus = 0.0;  ///< CPUs that this process may use, by affinity and quota
  std::uint64_t memory = 0;
  std::optional<std::uint64_t> memory_limit;  ///< limit of the control group
  std::map<std::string, double> link_speeds;  ///< bytes a second, of interfaces that report it
};

struct MonitorRecord {
  HostBounds bounds;
  std::vector<HostSnapshot> host;  ///< empty if only memory was watched
  std::vector<MemorySnapshot> memory;
  /// The window begins with the first discarded step and ends after the last kept one.
  std::optional<HostSnapshot> window_begin;
  std::optional<HostSnapshot> window_end;
  std::optional<ForeignMark> foreign_begin;  ///< empty if ranks share CPUs
  std::optional<ForeignMark> foreign_end;
  std::uint64_t peak_pss = 0;
  std::uint64_t least_available = UINT64_MAX;
  double seconds = 0.0;      ///< lifetime of the monitor
  double cpu_seconds = 0.0;  ///< CPU time of its snapshots
};

/// Above this number of snapshots, add_snapshot() drops every other one.
inline constexpr std::size_t kMostSnapshots = 600;

template <typename Snapshot>
void add_snapshot(std::vector<Snapshot>& snapshots, Snapshot snapshot) {
  snapshots.push_back(std::move(snapshot));
  if (snapshots.size() <= kMostSnapshots) return;
  // The number of snapshots is odd, so the first and the last one stay.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < snapshots.size(); i += 2) snapshots[kept++] = std::move(snapshots[i]);
  snapshots.resize(kept);
}

}  // namespace feedrate
