// SPDX-License-Identifier: Apache-2.0
// What a device's copies, calls and kernels cost, by the Device interface alone: on a GPU the
// figures of a preset for the simulated device, on a simulated device its own preset again.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/simulated/simulated_device.h"

namespace feedrate {

struct DeviceProbeOptions {
  std::size_t copy_bytes = std::size_t{256} << 20;  ///< of the largest copy
  std::size_t repeats = 9;                          ///< of each timing; the median counts
  std::function<void(const std::string& what)> on_progress = {};
};

/// Something found out that a preset has no place for: {"pageable copy of 65 KiB behind a kernel of
/// 20 ms returns after", "20.1 ms"}.
struct DeviceFinding {
  std::string what;
  std::string value;
};

struct DeviceCalibration {
  SimulatedDeviceSpec spec;  ///< its name and source are the caller's to give
  std::vector<DeviceFinding> findings;
};

/// Takes some seconds, copy_bytes of pinned and of pageable memory, and of the device's twice that
/// and 1 GB. `registering` is the same device, opened with PinAllocator::kRegister. One thread; no
/// other work on the device. Throws what the device throws.
[[nodiscard]] DeviceCalibration calibrate_device(Device& device, Device& registering,
                                                 const DeviceProbeOptions& options);

}  // namespace feedrate
