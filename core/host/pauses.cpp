// SPDX-License-Identifier: Apache-2.0
#include "core/host/pauses.h"

#include <csignal>
#include <ctime>

#include <pthread.h>

namespace feedrate {
namespace {

sigset_t continue_signal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCONT);
  return signals;
}

bool take_continue_signal() {
  const sigset_t signals = continue_signal();
  const timespec at_once{};
  return ::sigtimedwait(&signals, nullptr, &at_once) == SIGCONT;
}

Nanos read(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + Nanos(time.tv_nsec);
}

// Returns the time in suspend, in which CLOCK_BOOTTIME runs and CLOCK_MONOTONIC does not.
Nanos suspended_time() { return read(CLOCK_BOOTTIME) - read(CLOCK_MONOTONIC); }

}  // namespace

void hold_continue_signals() {
  const sigset_t signals = continue_signal();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

PauseWatch::PauseWatch() : slept_(suspended_time()) { static_cast<void>(take_continue_signal()); }

bool PauseWatch::was_paused() {
  constexpr Nanos kNotable = std::chrono::milliseconds(10);  // Covers the time between two reads.
  const Nanos slept = suspended_time();
  const bool has_slept = slept - slept_ > kNotable;
  slept_ = slept;
  const bool was_continued = take_continue_signal();
  return has_slept || was_continued;
}

}  // namespace feedrate
