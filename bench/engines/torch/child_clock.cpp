// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/torch/child_clock.h"

#include <algorithm>

namespace feedrate {

void ChildClock::resume_at(Nanos now) { ahead_ = std::max(now, slept_until_) - own_.now(); }

void ChildClock::sleep_until(Nanos deadline) {
  if (deadline <= now()) return;
  ahead_ = deadline - own_.now();
  slept_until_ = deadline;
}

}  // namespace feedrate
