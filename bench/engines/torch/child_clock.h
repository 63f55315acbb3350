// SPDX-License-Identifier: Apache-2.0
// The clock of a simulated device that trains what another process loads: that child's own time.
// Sleeping is left to the child, which is told until when. So a batch's message and its answer are
// on their way during the wait, and cost time only where they take longer than it.
#pragma once
#include "core/clock.h"

namespace feedrate {

/// One thread. `own` is the clock that the child reads, too: CLOCK_MONOTONIC but in tests.
class ChildClock final : public Clock {
 public:
  explicit ChildClock(Clock& own) noexcept : own_(own) {}

  /// What follows is done at the child's time `now`; not before what has been slept until.
  void resume_at(Nanos now);

  [[nodiscard]] Nanos now() const override { return own_.now() + ahead_; }
  /// Returns at once; the child has to sleep until now().
  void sleep_until(Nanos deadline) override;
  void spin_until(Nanos deadline) override { own_.spin_until(deadline - ahead_); }
  void work_for(Nanos cost) override { own_.work_for(cost); }

 private:
  Clock& own_;
  Nanos ahead_{};  // Of own_; negative where the child's message was longer on its way than slept.
  Nanos slept_until_{};
};

}  // namespace feedrate
