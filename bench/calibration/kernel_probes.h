// SPDX-License-Identifier: Apache-2.0
// What a device's arithmetic and its own memory yield, by the Device interface alone. One thread.
#pragma once
#include "bench/calibration/device_probes.h"
#include "bench/calibration/device_timer.h"

namespace feedrate {

/// Rates of matrix products and of memory traffic as large kernels reach them, for which the
/// efficiency is 1. A precision that cannot be measured here (the GPU has none, no cuBLASLt) gets 0
/// and a finding that says why; others a finding with the rate before power and heat lower the
/// clock, and short burns one with what they last. `one` and `other` are of the same size, some
/// MiB.
void probe_kernels(Device& device, DeviceTimer& timer, const DeviceBuffer& one,
                   const DeviceBuffer& other, DeviceCalibration& result);

}  // namespace feedrate
