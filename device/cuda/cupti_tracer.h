// SPDX-License-Identifier: Apache-2.0
// Records activities with CUPTI's activity API. Needs CUPTI at run time only, and no part of CUDA
// to build.
#pragma once
#include <string>

#include "device/activity.h"

namespace feedrate {

/// Starts to record kernels, copies, memsets, the calls that start or wait for them, and CUPTI's
/// overhead. Only one recording can run at a time. `problem` says why it failed: CUPTI may load and
/// still be unable to trace, for lack of a driver or with another profiler in the process.
[[nodiscard]] TracerStarted start_activity_tracing();

/// Tries to record.
[[nodiscard]] std::string describe_activity_tracing();

}  // namespace feedrate
