// SPDX-License-Identifier: Apache-2.0
// The clock of a simulated device that trains on batches of a child process: it shows the child's
// time. The child sleeps instead of this process, until a time that the reply names. So messages
// travel during the sleep and cost time only if they take longer than it.
#pragma once
#include "core/clock.h"

namespace feedrate {

/// One thread. `own` is the clock that the child reads, too: CLOCK_MONOTONIC except in tests.
class ChildClock final : public Clock {
 public:
  explicit ChildClock(Clock& own) noexcept : own_(own) {}

  /// Sets the time to the child's time `now`, or to the end of the last sleep if that is later.
  void resume_at(Nanos now);

  [[nodiscard]] Nanos now() const override { return own_.now() + ahead_; }
  /// Returns at once; the child has to sleep until now().
  void sleep_until(Nanos deadline) override;
  void spin_until(Nanos deadline) override { own_.spin_until(deadline - ahead_); }
  void work_for(Nanos cost) override { own_.work_for(cost); }

 private:
  Clock& own_;
  Nanos ahead_{};  // now() - own_.now(); negative if the message took longer than the sleep.
  Nanos slept_until_{};
};

}  // namespace feedrate
