// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/torch/process_cpu.h"

#include "core/host/processes.h"

namespace feedrate {

std::optional<double> cpu_seconds_of(const std::vector<pid_t>& processes) {
  double sum = 0.0;
  for (const pid_t process : processes) {
    const std::optional<double> seconds = cpu_seconds_of(process);
    if (!seconds) return std::nullopt;
    sum += *seconds;
  }
  return sum;
}

}  // namespace feedrate
