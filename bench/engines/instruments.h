// SPDX-License-Identifier: Apache-2.0
// What watches a GPU beside feedrate's own marks and events: a tracer of its activities (CUPTI) and
// the driver's management library (NVML). Never needed. One thread.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "device/activity.h"
#include "device/device.h"
#include "device/nvml_monitor.h"

namespace feedrate {

/// Each may be empty: not wanted, or not possible.
struct Instruments {
  /// Starts to record that device. Neither a tracer nor a problem: there is nothing to be recorded.
  std::function<TracerStarted(const DeviceInfo&)> start_tracing = {};
  /// Of a device by its name. Null: not possible, which is no fault.
  std::function<std::unique_ptr<GpuMonitor>(const std::string&)> open_monitor = {};
};

/// Monitors of GPUs by the name of their device, each opened once.
class GpuMonitors {
 public:
  explicit GpuMonitors(const Instruments& instruments) : open_(instruments.open_monitor) {}

  /// Null where there is none.
  [[nodiscard]] GpuMonitor* find(const std::string& device);
  /// The next find() opens it again.
  void forget(const std::string& device) { opened_.erase(device); }

 private:
  std::function<std::unique_ptr<GpuMonitor>(const std::string&)> open_;
  std::map<std::string, std::unique_ptr<GpuMonitor>> opened_;
};

struct InstrumentsChosen {
  Instruments instruments;
  std::vector<Fact> facts;            ///< which libraries they are, or why there is none
  std::vector<std::string> warnings;  ///< what they do to the numbers
  std::string note;                   ///< why what was wanted is not possible; empty otherwise
};

/// For the devices of a sweep, by name. Looks whether a tracer works only if one is wanted; a
/// simulated device has neither tracer nor monitor.
[[nodiscard]] InstrumentsChosen choose_instruments(const std::map<std::string, DeviceInfo>& devices,
                                                   bool trace);

}  // namespace feedrate
