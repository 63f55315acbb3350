// SPDX-License-Identifier: Apache-2.0
// Adds what NVML reports from the first discarded step on: the figures nvml_… and gpu_… of
// docs/columns.md, and a warning if they contradict the events. One thread.
#pragma once
#include <memory>

#include "bench/engines/observer.h"
#include "device/nvml_monitor.h"

namespace feedrate {

/// `monitor` outlives the observer, whose destructor makes it ready for the next start.
[[nodiscard]] std::unique_ptr<StartObserver> make_gpu_monitor_observer(GpuMonitor& monitor);

}  // namespace feedrate
