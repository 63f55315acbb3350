#include "bench/engines/torch/process_cpu.h"

#include <ctime>

namespace feedrate {

std::optional<double> cpu_seconds_of(const std::vector<pid_t>& processes) {
  double sum = 0.0;
  for (const pid_t process : processes) {
    clockid_t clock{};
    timespec time{};
    if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
      return std::nullopt;
    }
    sum += static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  return sum;
}

}  // namespace feedrate
