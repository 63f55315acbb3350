// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/replayed_device.h"

#include <algorithm>

namespace feedrate {

ReplayedDevice::ReplayedDevice(const BatchCosts& costs, const LoopSettings& settings)
    : costs_(costs), settings_(settings) {}

bool ReplayedDevice::has_side_stream() const {
  return settings_.side_stream || settings_.device_prefetch > 0;
}

double ReplayedDevice::copy_may_begin(double now) const {
  return std::max(now, has_side_stream() ? copy_free_ : std::max(copy_free_, compute_free_));
}

void ReplayedDevice::copied(double now) {
  copy_free_ = now;
  arrivals_.push_back(now);
}

double ReplayedDevice::queue_copy(double now) {
  double begin = copy_may_begin(now);
  // Memory for a batch in use, one being filled, and device_prefetch more.
  if (has_side_stream() && slots_used_.size() > settings_.device_prefetch + 1) {
    begin = std::max(begin, slots_used_.front());
    slots_used_.pop_front();
  }
  copied(begin + costs_.copy_pinned);
  under_way_.push_back(copy_free_);
  while (!under_way_.empty() && under_way_.front() <= now) under_way_.pop_front();
  if (under_way_.size() <= kReplayRunAhead) return now;
  const double oldest = under_way_.front();
  under_way_.pop_front();
  return oldest;
}

bool ReplayedDevice::has_step() const { return arrivals_.size() > settings_.device_prefetch; }

double ReplayedDevice::launch(double now) {
  compute_free_ = std::max({now, compute_free_, arrivals_.front()}) + costs_.compute;
  arrivals_.pop_front();
  slots_used_.push_back(compute_free_);
  ++launched_;
  const bool waits = settings_.sync_every != 0 && launched_ % settings_.sync_every == 0;
  return waits ? compute_free_ : now;
}

}  // namespace feedrate
