#include "core/clock.h"

#include <cerrno>
#include <ctime>

#include <sys/prctl.h>

namespace feedrate {
namespace {

// The kernel may end a sleep up to 50 us late by default, which is a visible part of a short step.
void ask_for_precise_sleep() {
  thread_local const int done = prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  static_cast<void>(done);
}

}  // namespace

Nanos SteadyClock::now() const { return std::chrono::steady_clock::now().time_since_epoch(); }

void SteadyClock::sleep_until(Nanos deadline) {
  if (deadline <= now()) return;
  ask_for_precise_sleep();
  constexpr Nanos::rep kSecond = 1'000'000'000;
  const timespec until{deadline.count() / kSecond, deadline.count() % kSecond};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

void SteadyClock::spin_until(Nanos deadline) {
  while (now() < deadline) {
  }
}

void ManualClock::sleep_until(Nanos deadline) {
  Nanos::rep seen = now_.load();
  while (seen < deadline.count() && !now_.compare_exchange_weak(seen, deadline.count())) {
  }
}

}  // namespace feedrate
