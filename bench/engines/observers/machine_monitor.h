// SPDX-License-Identifier: Apache-2.0
// Monitors the machine while a cell runs: adds its peak memory, and the figures and series of
// docs/monitoring.md for processors, disks, networks and the GPU. One thread, plus that of
// CellMonitor.
#pragma once
#include <memory>

#include "bench/engines/observer.h"

namespace feedrate {

/// If `whole_machine` is false, only the peak of memory is measured.
[[nodiscard]] std::unique_ptr<StartObserver> make_machine_monitor_observer(
    const StartContext& start, bool whole_machine);

}  // namespace feedrate
