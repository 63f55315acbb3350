// SPDX-License-Identifier: Apache-2.0
// A simulated CUDA graph: many kernels in one launch.
#pragma once
#include <functional>
#include <memory>

#include "device/device.h"
#include "device/simulated/simulated_device.h"

namespace feedrate {

/// Implements Device::capture().
[[nodiscard]] std::unique_ptr<DeviceWork> capture_simulated(
    const SimulatedDeviceSpec& spec, const std::function<void(DeviceStream&)>& issue);

}  // namespace feedrate
