// SPDX-License-Identifier: Apache-2.0
#include "bench/calibration/device_timer.h"

#include <vector>

#include "core/statistics.h"

namespace feedrate {
namespace {

constexpr Nanos kGate = std::chrono::milliseconds(5);  // longer than queuing the timed work takes

}  // namespace

DeviceTimer::DeviceTimer(Device& device, std::size_t repeats)
    : device_(device),
      repeats_(repeats),
      stream_(device.create_stream(StreamKind::kNonBlocking)),
      begin_(device.create_event()),
      end_(device.create_event()) {}

Nanos DeviceTimer::median_of(const std::function<Nanos()>& time) const {
  std::vector<double> times;
  static_cast<void>(time());
  for (std::size_t i = 0; i < repeats_; ++i) times.push_back(to_seconds(time()));
  return from_seconds(median(times));
}

Nanos DeviceTimer::host_time(const std::function<void()>& work) const {
  const Nanos before = device_.clock().now();
  work();
  return device_.clock().now() - before;
}

Nanos DeviceTimer::on_device(const std::function<void()>& issue) {
  return median_of([&] { return between_events(issue); });
}

Nanos DeviceTimer::behind_gate(const std::function<void()>& issue) {
  return median_of([&] {
    stream_->burn(kGate);
    return between_events(issue);
  });
}

Nanos DeviceTimer::between_events(const std::function<void()>& issue) {
  stream_->record(*begin_);
  issue();
  stream_->record(*end_);
  stream_->synchronize();
  return device_.elapsed(*begin_, *end_);
}

}  // namespace feedrate
