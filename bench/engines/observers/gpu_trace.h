// SPDX-License-Identifier: Apache-2.0
// What a tracer (CUPTI) records of the device of this process, from the first step to be discarded
// until the device has done its work: pinned_copies, and warnings where the recording is incomplete
// or contradicts pin_memory. One thread.
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
