// SPDX-License-Identifier: Apache-2.0
// Measures the costs of a device's copies, calls and kernels through the Device interface: on a GPU
// the figures of a preset for the simulated device, on a simulated device its own preset.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/simulated/simulated_device.h"

namespace feedrate {

struct DeviceProbeOptions {
  std::size_t copy_bytes = std::size_t{256} << 20;  ///< size of the largest copy
  std::size_t repeats = 9;                          ///< repeats of each timing; the median counts
  std::function<void(const std::string& what)> on_progress = {};
};

/// A finding that has no field in a preset: {"pageable copy of 65 KiB behind a kernel of 20 ms
/// returns after", "20.1 ms"}.
struct DeviceFinding {
  std::string what;
  std::string value;
};

struct DeviceCalibration {
  SimulatedDeviceSpec spec;  ///< the caller sets its name and source
  std::vector<DeviceFinding> findings;
};

/// Takes some seconds, copy_bytes each of pinned and pageable memory, and twice copy_bytes plus 1
/// GB of device memory. One thread; no other work on the device. Throws the device's exceptions.
[[nodiscard]] DeviceCalibration calibrate_device(Device& device, const DeviceProbeOptions& options);

}  // namespace feedrate
