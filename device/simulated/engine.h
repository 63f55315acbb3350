// SPDX-License-Identifier: Apache-2.0
// A unit of the simulated device that runs one operation at a time: the copy engine of one
// direction, or all multiprocessors together. Plain data without clock or lock.
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
  /// Reserves the earliest free span of `duration` that starts at `ready` or later. A reservation
  /// never moves; a later one that is ready sooner may fill a gap before it.
  BusySpan reserve(Nanos ready, Nanos duration);

  /// Removes spans that ended by `now`. Nothing may be reserved before `now` afterwards.
  void forget_before(Nanos now);

 private:
  std::deque<BusySpan> busy_;  // sorted, disjoint
};

}  // namespace feedrate
