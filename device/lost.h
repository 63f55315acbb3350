// SPDX-License-Identifier: Apache-2.0
// Errors of a device that fails during use.
#pragma once
#include "core/error.h"

namespace feedrate {

/// The device has fallen off the bus, or its memory or a kernel has failed. Every further call
/// fails. Objects made with it cannot be used but may be destroyed. Opening the device again may
/// succeed.
class DeviceLost : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// This process cannot use the device again: CUDA's errors of a kernel or of memory persist until
/// the process ends. Another process may use the device.
class DeviceLostToProcess : public DeviceLost {
 public:
  using DeviceLost::DeviceLost;
};

}  // namespace feedrate
