// SPDX-License-Identifier: Apache-2.0
// A device that is gone while it is used.
#pragma once
#include "core/error.h"

namespace feedrate {

/// It has fallen off the bus, its memory or a kernel has failed: every further call fails, too, and
/// what was made with it is of no use any more but may be destroyed. Whether it can be opened
/// again, its next opening tells.
class DeviceLost : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// And this process cannot have it back: CUDA's errors of a kernel or of memory stay with the
/// process in which they came. Another process may use the device.
class DeviceLostToProcess : public DeviceLost {
 public:
  using DeviceLost::DeviceLost;
};

}  // namespace feedrate
