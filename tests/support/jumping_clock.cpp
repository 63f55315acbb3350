// SPDX-License-Identifier: Apache-2.0
// A library to preload: each reading of the wall clock jumps by a day, alternately forward and
// back. The monotonic clocks are unchanged.
#include <atomic>
#include <ctime>

#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

time_t jump() {
  static std::atomic<unsigned> readings{0};
  constexpr time_t kDay = 86'400;
  return readings.fetch_add(1) % 2 == 0 ? kDay : -kDay;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const int result = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += jump();
  return result;
}

time_t time(time_t* target) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (target != nullptr) *target = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(timeval* target, void*) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  *target = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}
}
