// SPDX-License-Identifier: Apache-2.0
// Records this process's device by CUPTI from the first discarded step until the device is idle.
// Adds pinned_copies, and warnings if the recording is incomplete or contradicts pin_memory. One
// thread.
#pragma once
#include <functional>
#include <memory>

#include "bench/engines/observer.h"
#include "device/activity.h"

namespace feedrate {

/// REQUIRES: start.device
[[nodiscard]] std::unique_ptr<StartObserver> make_gpu_trace_observer(
    const StartContext& start, std::function<TracerStarted(const DeviceInfo&)> start_tracing);

}  // namespace feedrate
