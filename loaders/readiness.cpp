// SPDX-License-Identifier: Apache-2.0
#include "loaders/readiness.h"

#include <algorithm>

namespace feedrate {

void ReadinessGauge::start_window() {
  start_ = last_take_ = clock_.now();
  not_ready_ = Nanos(0);
}

void ReadinessGauge::take(Nanos completed) {
  const Nanos now = clock_.now();
  not_ready_ += std::clamp(completed - last_take_, Nanos(0), now - last_take_);
  last_take_ = now;
}

double ReadinessGauge::ratio() const {
  const Nanos window = last_take_ - start_;
  return window == Nanos(0) ? 0.0 : 1.0 - to_seconds(not_ready_) / to_seconds(window);
}

}  // namespace feedrate
