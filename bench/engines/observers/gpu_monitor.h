// SPDX-License-Identifier: Apache-2.0
// What NVML says of the GPU from the first step to be discarded on: the figures nvml_… and gpu_… of
// docs/columns.md, and a warning where they contradict those of the events. One thread.
#pragma once
#include <memory>

#include "bench/engines/observer.h"
#include "device/nvml_monitor.h"

namespace feedrate {

/// `monitor` outlives it, and is ready for the next start when it dies.
[[nodiscard]] std::unique_ptr<StartObserver> make_gpu_monitor_observer(GpuMonitor& monitor);

}  // namespace feedrate
