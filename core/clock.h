// SPDX-License-Identifier: Apache-2.0
// Everything that waits or measures takes a Clock, so that a simulated cell can run on a
// ManualClock: it finishes at once and gives the same numbers on every machine.
#pragma once
#include <atomic>
#include <chrono>

#include "core/units.h"

namespace feedrate {

/// All members may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Time since an arbitrary start; never goes back.
  [[nodiscard]] virtual Nanos now() const = 0;
  /// Blocks until now() >= `deadline`.
  virtual void sleep_until(Nanos deadline) = 0;
  /// Like sleep_until(), but keeps the processor busy, as work on the host does.
  virtual void spin_until(Nanos deadline) = 0;
  /// Uses `cost` of the calling thread's CPU time; takes longer if other threads use the processor.
  virtual void work_for(Nanos cost) { spin_until(now() + cost); }
  void sleep_for(Nanos duration) { sleep_until(now() + duration); }
};

/// The monotonic clock that std::chrono::steady_clock reads.
class SteadyClock final : public Clock {
 public:
  [[nodiscard]] Nanos now() const override;
  void sleep_until(Nanos deadline) override;
  void spin_until(Nanos deadline) override;
  void work_for(Nanos cost) override;
};

static_assert(std::chrono::steady_clock::is_steady);

/// User and system time of the calling thread since it began.
[[nodiscard]] Nanos thread_cpu_time() noexcept;

/// Starts at zero and moves only when a thread sleeps on it. For one thread: two sleeping threads
/// would advance each other's time.
class ManualClock final : public Clock {
 public:
  [[nodiscard]] Nanos now() const override { return Nanos(now_.load()); }
  void sleep_until(Nanos deadline) override;
  void spin_until(Nanos deadline) override { sleep_until(deadline); }

 private:
  std::atomic<Nanos::rep> now_ = 0;
};

}  // namespace feedrate
