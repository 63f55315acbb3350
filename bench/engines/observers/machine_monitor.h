// SPDX-License-Identifier: Apache-2.0
// The machine while a cell runs: memory, and of its processors, disks and networks the figures and
// series of docs/monitoring.md, those of the GPU among them. One thread, beside that of
// CellMonitor.
#pragma once
#include <memory>

#include "bench/engines/observer.h"

namespace feedrate {

/// Without `whole_machine` only the peak of memory is measured.
[[nodiscard]] std::unique_ptr<StartObserver> make_machine_monitor_observer(
    const StartContext& start, bool whole_machine);

}  // namespace feedrate
