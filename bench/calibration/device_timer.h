// SPDX-License-Identifier: Apache-2.0
// Times work on a device, and its host calls. One thread; no other work on the device.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>

#include "device/device.h"

namespace feedrate {

class DeviceTimer {
 public:
  /// `device` must outlive the timer.
  DeviceTimer(Device& device, std::size_t repeats);

  /// The timed work must be issued to it.
  [[nodiscard]] DeviceStream& stream() noexcept { return *stream_; }

  /// The median of `repeats` times, after one warm-up that runs lazy initialization.
  [[nodiscard]] Nanos median_of(const std::function<Nanos()>& time) const;

  [[nodiscard]] Nanos host_time(const std::function<void()>& work) const;

  /// The median device time from before the call to the end of its work, which starts at once.
  [[nodiscard]] Nanos on_device(const std::function<void()>& issue);

  /// The median device time of the work alone, which is queued behind a kernel.
  [[nodiscard]] Nanos behind_gate(const std::function<void()>& issue);

 private:
  [[nodiscard]] Nanos between_events(const std::function<void()>& issue);

  Device& device_;
  const std::size_t repeats_;
  std::unique_ptr<DeviceStream> stream_;
  std::unique_ptr<DeviceEvent> begin_, end_;
};

}  // namespace feedrate
