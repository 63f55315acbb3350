// SPDX-License-Identifier: Apache-2.0
// The load of processors, by this process and its descendants and by other programs. Any thread.
#pragma once
#include <optional>
#include <vector>

#include "core/host/cpu_list.h"
#include "core/host/cpu_times.h"

namespace feedrate {

/// Totals since the machine started.
struct CpuLoadMark {
  double at = 0.0;            ///< seconds of the monotonic clock
  std::vector<CpuTime> cpus;  ///< the requested CPUs
  double online = 1.0;        ///< number of online CPUs of the machine
  double own = 0.0;           ///< seconds of this process and its descendants, including ended ones
  double kernel = 0.0;        ///< seconds of the kernel's threads; 0 if they are not visible
};

/// The mean load between two marks, in CPUs.
struct CpuLoad {
  double seconds = 0.0;  ///< between the marks
  double cpus = 0.0;     ///< number of requested CPUs
  double busy = 0.0;     ///< used by any process, time stolen by other guests included
  double foreign = 0.0;  ///< used by programs of this machine that are not ours
  double stolen = 0.0;   ///< used by other guests of the host
};

/// Costs about 10 us for each process and thread of ours.
[[nodiscard]] CpuLoadMark mark_cpu_load(const CpuList& cpus);

/// Foreign is busy time without stolen time, interrupts, our time and that of the kernel's threads,
/// which may work for any process. Returns nothing if the kernel does not count.
[[nodiscard]] std::optional<CpuLoad> cpu_load_between(const CpuLoadMark& from,
                                                      const CpuLoadMark& to);

}  // namespace feedrate
