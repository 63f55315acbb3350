// SPDX-License-Identifier: Apache-2.0
// The time accounting of each processor since the machine started. Any thread.
#pragma once
#include <filesystem>
#include <vector>

#include "core/host/cpu_list.h"

namespace feedrate {

struct CpuTime {
  int cpu = 0;              ///< the kernel's number
  double busy = 0.0;        ///< seconds of all processes, including guests and `stolen`
  double total = 0.0;       ///< seconds: `busy`, idle and waiting for storage
  double interrupts = 0.0;  ///< seconds of hard and soft interrupts, part of `busy`
  double stolen = 0.0;      ///< seconds that the host gave to other guests, part of `busy`
};

/// Returns the times of the online processors among `cpus` (all if it is empty), by number. The
/// kernel counts in steps of 10 ms on most machines. Empty if the kernel does not count.
[[nodiscard]] std::vector<CpuTime> read_cpu_times(const CpuList& cpus,
                                                  const std::filesystem::path& root = "/");

}  // namespace feedrate
