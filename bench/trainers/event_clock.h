// SPDX-License-Identifier: Apache-2.0
// Maps what happened on the device to the host's clock. One thread.
#pragma once
#include <memory>

#include "core/units.h"
#include "device/device.h"

namespace feedrate {

/// The device tells only how far two of its events are apart, in CUDA as a float of milliseconds,
/// which after 16 s no longer knows a microsecond; and its clock and the host's drift apart. So the
/// two are tied while the device is idle, time is counted on from event to event, and when they are
/// tied again the drift in between is known.
class EventClock {
 public:
  /// Waits until the device is idle, and ties. `device` outlives this.
  explicit EventClock(Device& device);

  /// When `event`, which is done, happened: as the device's clock has it since the last tie.
  [[nodiscard]] Nanos at(const DeviceEvent& event) const;

  /// The same, and counts on from `event` if the last one is long ago; `event` is then another one.
  Nanos advance(std::unique_ptr<DeviceEvent>& event);

  /// From a time that at() gave to the host's time.
  class Correction {
   public:
    Correction(Nanos since, double rate) : since_(since), rate_(rate) {}
    [[nodiscard]] Nanos operator()(Nanos time) const;

   private:
    Nanos since_;
    double rate_;
  };

  /// Waits until the device is idle, and ties again. What it returns is for times between the ties.
  [[nodiscard]] Correction tie();

 private:
  struct Moment {
    std::unique_ptr<DeviceEvent> event;
    Nanos host{};
  };
  [[nodiscard]] Moment observe() const;

  Device& device_;
  std::unique_ptr<DeviceEvent> anchor_;
  Nanos anchor_time_{};  // Of the anchor, on the device's clock since the tie.
  Nanos tied_{};         // Host time of the tie.
};

}  // namespace feedrate
