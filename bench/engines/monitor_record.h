// SPDX-License-Identifier: Apache-2.0
// What a monitor has seen of a machine while a cell ran: plain values, before anything is computed
// of them. Counters are totals, so that what lies between two looks is exact whichever looks are
// kept.
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
  double seconds = 0.0;  ///< of CPU
};

/// One look at the machine.
struct HostLook {
  double at = 0.0;                     ///< seconds since the monitor's start
  std::vector<CpuTime> cpus;           ///< those that this process may use
  std::vector<ProcessTime> processes;  ///< this process first, then its descendants
  MemoryUse memory;
  std::optional<DiskBytes> disk;  ///< of the dataset's device
  std::vector<NetworkInterface> network;
};

/// At an end of the window: what others did is the difference of two.
struct ForeignMark {
  CpuLoadMark cpu;
  std::optional<double> disk_bytes;  ///< over the dataset's device, without our own
};

struct MemoryLook {
  double at = 0.0;
  std::uint64_t tree_pss = 0;  ///< bytes, of this process and its descendants
};

/// What the machine has at most.
struct HostBounds {
  double cpus = 0.0;  ///< that this process may use: affinity and quota
  std::uint64_t memory = 0;
  std::optional<std::uint64_t> memory_limit;  ///< of the control group
  std::map<std::string, double> link_speeds;  ///< bytes a second, of interfaces that tell
};

struct MonitorRecord {
  HostBounds bounds;
  std::vector<HostLook> host;  ///< empty if only memory was watched
  std::vector<MemoryLook> memory;
  /// From the first step to be discarded to the end of the last kept one.
  std::optional<HostLook> window_begin;
  std::optional<HostLook> window_end;
  std::optional<ForeignMark> foreign_begin;  ///< where it can be told
  std::optional<ForeignMark> foreign_end;
  std::uint64_t peak_pss = 0;
  std::uint64_t least_available = UINT64_MAX;
  double seconds = 0.0;      ///< that the monitor lived
  double cpu_seconds = 0.0;  ///< of CPU that its looks took
};

/// So many looks are kept: beyond, every other one is dropped, as often as it takes.
inline constexpr std::size_t kMostLooks = 600;

template <typename Look>
void add_look(std::vector<Look>& looks, Look look) {
  looks.push_back(std::move(look));
  if (looks.size() <= kMostLooks) return;
  // The last one stays, and the first, since the number is odd.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < looks.size(); i += 2) looks[kept++] = std::move(looks[i]);
  looks.resize(kept);
}

}  // namespace feedrate
