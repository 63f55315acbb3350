// SPDX-License-Identifier: Apache-2.0
#include "core/thread_time.h"

#include <ctime>

namespace feedrate {

Nanos thread_cpu_time() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + Nanos(time.tv_nsec);
}

}  // namespace feedrate
