// SPDX-License-Identifier: Apache-2.0
// Times work on a device, and calls of its host side. One thread; no other work on the device.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>

#include "device/device.h"

namespace feedrate {

class DeviceTimer {
 public:
  /// `device` outlives this.
  DeviceTimer(Device& device, std::size_t repeats);

  /// Where what is timed on the device must be issued.
  [[nodiscard]] DeviceStream& stream() noexcept { return *stream_; }

  /// Of `repeats` times, after one that pays for what is set up lazily.
  [[nodiscard]] Nanos median_of(const std::function<Nanos()>& time) const;

  /// On the host's clock.
  [[nodiscard]] Nanos host_time(const std::function<void()>& work) const;

  /// On the device, from before the call to the end of its work, which starts at once. A median.
  [[nodiscard]] Nanos on_device(const std::function<void()>& issue);

  /// On the device, of the work alone: it is queued while a kernel runs before it. A median.
  [[nodiscard]] Nanos behind_gate(const std::function<void()>& issue);

 private:
  [[nodiscard]] Nanos between_events(const std::function<void()>& issue);

  Device& device_;
  const std::size_t repeats_;
  std::unique_ptr<DeviceStream> stream_;
  std::unique_ptr<DeviceEvent> begin_, end_;
};

}  // namespace feedrate
