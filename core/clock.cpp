// SPDX-License-Identifier: Apache-2.0
#include "core/clock.h"

#include <cerrno>
#include <ctime>

#include <sys/prctl.h>

namespace feedrate {
namespace {

// A kernel sleep ends up to 50 us late (timer slack), plus the wake-up: a visible part of a short
// step. So the last stretch spins, as a CUDA synchronization does.
constexpr Nanos kSpin = std::chrono::microseconds(120);

void ask_for_precise_sleep() {
  thread_local const int done = prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  static_cast<void>(done);
}

void sleep_by_the_kernel(Nanos deadline) {
  ask_for_precise_sleep();
  constexpr Nanos::rep kSecond = 1'000'000'000;
  const timespec until{deadline.count() / kSecond, deadline.count() % kSecond};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

}  // namespace

Nanos thread_cpu_time() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + Nanos(time.tv_nsec);
}

Nanos SteadyClock::now() const { return std::chrono::steady_clock::now().time_since_epoch(); }

void SteadyClock::sleep_until(Nanos deadline) {
  if (deadline > now() + kSpin) sleep_by_the_kernel(deadline - kSpin);
  spin_until(deadline);
}

void SteadyClock::spin_until(Nanos deadline) {
  while (now() < deadline) {
  }
}

void SteadyClock::work_for(Nanos cost) {
  const Nanos end = thread_cpu_time() + cost;
  while (thread_cpu_time() < end) {
  }
}

void ManualClock::sleep_until(Nanos deadline) {
  Nanos::rep seen = now_.load();
  while (seen < deadline.count() && !now_.compare_exchange_weak(seen, deadline.count())) {
  }
}

}  // namespace feedrate
