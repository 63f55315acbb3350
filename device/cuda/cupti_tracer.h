// SPDX-License-Identifier: Apache-2.0
// Recording by CUPTI's activity API. Needs CUPTI at run time only, and nothing of CUDA to build.
#pragma once
#include <string>

#include "device/activity.h"

namespace feedrate {

/// Starts to record kernels, copies, memsets, the calls that start or wait for them, and CUPTI's
/// own costs. There is one recording at a time. A library that loads need not be able to trace: no
/// driver, another profiler in the process; then `problem` says so, and the caller goes on without.
[[nodiscard]] TracerStarted start_activity_tracing();

/// Whether recording works here, in plain words; tries it.
[[nodiscard]] std::string describe_activity_tracing();

}  // namespace feedrate
