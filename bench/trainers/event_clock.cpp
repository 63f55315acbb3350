// SPDX-License-Identifier: Apache-2.0
#include "bench/trainers/event_clock.h"

#include <cmath>
#include <utility>

namespace feedrate {
namespace {

constexpr Nanos kStride = std::chrono::seconds(1);  // A float of 1000 ms is exact to 0.06 us.
// In less time, drift (tens of ppm) adds less than the error of a synchronization.
constexpr Nanos kMinDriftTime = std::chrono::seconds(5);
constexpr int kTries = 5;

}  // namespace

EventClock::EventClock(Device& device) : device_(device) {
  Moment now = observe();
  anchor_ = std::move(now.event);
  anchor_time_ = sync_time_ = now.host;
}

Nanos EventClock::at(const DeviceEvent& event) const {
  return anchor_time_ + device_.elapsed(*anchor_, event);
}

Nanos EventClock::advance(std::unique_ptr<DeviceEvent>& event) {
  const Nanos time = at(*event);
  if (time - anchor_time_ >= kStride) {
    std::swap(anchor_, event);
    anchor_time_ = time;
  }
  return time;
}

Nanos EventClock::Correction::operator()(Nanos time) const {
  const auto passed = static_cast<double>((time - since_).count());
  return since_ + Nanos(std::llround(passed * rate_));
}

EventClock::Correction EventClock::resynchronize() {
  Moment now = observe();
  const Nanos by_device = at(*now.event) - sync_time_;
  const Nanos by_host = now.host - sync_time_;
  const bool is_long = by_device >= kMinDriftTime && by_host >= kMinDriftTime;
  const Correction correction(sync_time_,
                              is_long ? to_seconds(by_host) / to_seconds(by_device) : 1.0);
  anchor_ = std::move(now.event);
  anchor_time_ = sync_time_ = now.host;
  return correction;
}

// An event on an idle device happens between record() and the end of synchronize(). The shortest
// try counts.
EventClock::Moment EventClock::observe() const {
  const Clock& clock = device_.clock();
  device_.synchronize();
  Moment best;
  Nanos shortest = Nanos::max();
  for (int i = 0; i < kTries; ++i) {
    Moment moment{device_.create_event(), {}};
    const Nanos before = clock.now();
    device_.default_stream().record(*moment.event);
    moment.event->synchronize();
    moment.host = clock.now();
    if (moment.host - before >= shortest) continue;
    shortest = moment.host - before;
    best = std::move(moment);
  }
  return best;
}

}  // namespace feedrate
