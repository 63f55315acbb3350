// SPDX-License-Identifier: Apache-2.0
#include "device/simulated/engine.h"

#include <algorithm>

namespace feedrate {

BusySpan Engine::reserve(Nanos ready, Nanos duration) {
  auto next = std::partition_point(busy_.begin(), busy_.end(),
                                   [&](const BusySpan& taken) { return taken.end <= ready; });
  Nanos start = ready;
  while (next != busy_.end() && next->start < start + duration) {
    start = std::max(start, next->end);
    ++next;
  }
  const BusySpan taken{start, start + duration};
  if (duration > Nanos::zero()) busy_.insert(next, taken);
  return taken;
}

void Engine::forget_before(Nanos now) {
  while (!busy_.empty() && busy_.front().end <= now) busy_.pop_front();
}

}  // namespace feedrate
