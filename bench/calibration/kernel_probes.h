// SPDX-License-Identifier: Apache-2.0
// Measures a device's arithmetic and memory through the Device interface. One thread.
#pragma once
#include "bench/calibration/device_probes.h"
#include "bench/calibration/device_timer.h"

namespace feedrate {

/// Sets the rates of matrix products and of memory traffic that large kernels reach, with an
/// efficiency of 1. A precision that cannot be measured (the GPU lacks it, or there is no cuBLASLt)
/// gets 0 and a finding with the reason; the others get a finding with the rate before power and
/// heat lower the clock. Another finding has the duration of short burns. `one` and `other` have
/// the same size of some MiB.
void probe_kernels(Device& device, DeviceTimer& timer, const DeviceBuffer& one,
                   const DeviceBuffer& other, DeviceCalibration& result);

}  // namespace feedrate
