// SPDX-License-Identifier: Apache-2.0
// Instruments that watch a GPU in addition to feedrate's marks and events: a tracer of its
// activities (CUPTI) and the driver's management library (NVML). Both are optional. One thread.
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

/// A function is empty if its instrument is not wanted or not available.
struct Instruments {
  /// Starts to record that device. Returns neither tracer nor problem if the device is simulated.
  std::function<TracerStarted(const DeviceInfo&)> start_tracing = {};
  /// Opens the monitor of a device by its name. Returns null if NVML is not available; that is no
  /// error.
  std::function<std::unique_ptr<GpuMonitor>(const std::string&)> open_monitor = {};
};

/// Opens the monitor of each GPU once.
class GpuMonitors {
 public:
  explicit GpuMonitors(const Instruments& instruments) : open_(instruments.open_monitor) {}

  /// Returns null if the device has no monitor.
  [[nodiscard]] GpuMonitor* find(const std::string& device);
  /// The next find() opens it again.
  void forget(const std::string& device) { opened_.erase(device); }

 private:
  std::function<std::unique_ptr<GpuMonitor>(const std::string&)> open_;
  std::map<std::string, std::unique_ptr<GpuMonitor>> opened_;
};

struct InstrumentsChosen {
  Instruments instruments;
  std::vector<Fact> facts;            ///< the libraries in use, or why one is missing
  std::vector<std::string> warnings;  ///< how they affect the figures
  std::string note;                   ///< why a wanted tracer is not available; else empty
};

/// `devices` are those of a sweep, by name. Tries the tracer only if `trace` is set. A simulated
/// device has neither tracer nor monitor.
[[nodiscard]] InstrumentsChosen choose_instruments(const std::map<std::string, DeviceInfo>& devices,
                                                   bool trace);

}  // namespace feedrate
