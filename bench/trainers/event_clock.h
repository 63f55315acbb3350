// SPDX-License-Identifier: Apache-2.0
// Converts times of device events to the host's clock. One thread.
#pragma once
#include <memory>

#include "core/units.h"
#include "device/device.h"

namespace feedrate {

/// A device reports only the time between two events; in CUDA that is a float of milliseconds,
/// which loses microseconds after 16 s, and its clock drifts from the host's. So this class
/// synchronizes both clocks while the device is idle, counts time from event to event, and computes
/// the drift at the next synchronization.
class EventClock {
 public:
  /// Waits until the device is idle and synchronizes the clocks. `device` must outlive this object.
  explicit EventClock(Device& device);

  /// The time of `event` by the device's clock since the last synchronization. REQUIRES: `event` is
  /// done
  [[nodiscard]] Nanos at(const DeviceEvent& event) const;

  /// Returns at(*event). If the last reference event is old, makes `event` the reference and gives
  /// the old one back in `event`.
  Nanos advance(std::unique_ptr<DeviceEvent>& event);

  /// Converts a time returned by at() to the host's time.
  class Correction {
   public:
    Correction(Nanos since, double rate) : since_(since), rate_(rate) {}
    [[nodiscard]] Nanos operator()(Nanos time) const;

   private:
    Nanos since_;
    double rate_;
  };

  /// Waits until the device is idle and synchronizes again. The result corrects times between the
  /// two synchronizations.
  [[nodiscard]] Correction resynchronize();

 private:
  struct Moment {
    std::unique_ptr<DeviceEvent> event;
    Nanos host{};
  };
  [[nodiscard]] Moment observe() const;

  Device& device_;
  std::unique_ptr<DeviceEvent> anchor_;
  Nanos anchor_time_{};  // The anchor's time on the device's clock since the synchronization.
  Nanos sync_time_{};
};

}  // namespace feedrate
