// SPDX-License-Identifier: Apache-2.0
// How busy processors are, and by whom: by this process and its descendants, or by others. Any
// thread.
#pragma once
#include <optional>
#include <vector>

#include "core/host/cpu_list.h"
#include "core/host/cpu_times.h"

namespace feedrate {

/// Totals: take the difference of two.
struct CpuLoadMark {
  double at = 0.0;            ///< seconds of the monotonic clock
  std::vector<CpuTime> cpus;  ///< those that were asked for
  double online = 1.0;        ///< of the machine
  double own = 0.0;     ///< seconds of this process and its descendants, ended ones among them
  double kernel = 0.0;  ///< seconds of the kernel's own threads; 0 where they cannot be seen
};

/// In CPUs: the mean between two marks.
struct CpuLoad {
  double seconds = 0.0;  ///< between the marks
  double cpus = 0.0;     ///< how many were asked for
  double busy = 0.0;     ///< of these, by any process, time stolen by other guests included
  double foreign = 0.0;  ///< by programs of this machine that are not ours
  double stolen = 0.0;   ///< by other guests of the host
};

/// Costs some 10 us for each process and thread of ours.
[[nodiscard]] CpuLoadMark mark_cpu_load(const CpuList& cpus);

/// Foreign is what is busy and neither stolen, nor an interrupt, nor ours, nor the kernel's
/// threads': whom these work for cannot be told. Nothing where the kernel does not count.
[[nodiscard]] std::optional<CpuLoad> cpu_load_between(const CpuLoadMark& from,
                                                      const CpuLoadMark& to);

}  // namespace feedrate
