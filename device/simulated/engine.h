// SPDX-License-Identifier: Apache-2.0
// One unit of the simulated device that does one thing at a time: the copy engine of a direction,
// or all multiprocessors together. Plain data without clock or lock.
#pragma once
#include <deque>

#include "core/units.h"

namespace feedrate {

/// A span of device time, from `start` to before `end`.
struct BusySpan {
  Nanos start;
  Nanos end;
  friend bool operator==(const BusySpan&, const BusySpan&) = default;
};

class Engine {
 public:
  /// Takes the earliest free span of `duration` that starts at `ready` or later. A reservation
  /// never moves afterwards; one that is ready sooner may fill a gap before it.
  BusySpan reserve(Nanos ready, Nanos duration);

  /// Forgets what ended by `now`; nothing may be reserved before `now` afterwards.
  void forget_before(Nanos now);

 private:
  std::deque<BusySpan> busy_;  // sorted, disjoint
};

}  // namespace feedrate
