// SPDX-License-Identifier: Apache-2.0
// What each processor has done since the machine started: take the difference of two calls. Any
// thread.
#pragma once
#include <filesystem>
#include <vector>

#include "core/host/cpu_list.h"

namespace feedrate {

struct CpuTime {
  int cpu = 0;  ///< the kernel's number
  double busy =
      0.0;  ///< seconds, of all processes; guests and time stolen by other guests are in it
  double total = 0.0;       ///< seconds; idle and waiting for storage are the rest
  double interrupts = 0.0;  ///< of `busy`, seconds, hard and soft
  double stolen = 0.0;      ///< of `busy`, seconds that the host gave to other guests
};

/// Of the online processors among `cpus` (all where empty), by number. The kernel counts in steps
/// of 10 ms on most machines. Empty where it does not tell.
[[nodiscard]] std::vector<CpuTime> read_cpu_times(const CpuList& cpus,
                                                  const std::filesystem::path& root = "/");

}  // namespace feedrate
