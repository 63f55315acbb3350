// SPDX-License-Identifier: Apache-2.0
// Adds what a loader reports: pinned_memory, batches_per_epoch and samples_dropped, and job_time,
// which follows from them. One thread.
#pragma once
#include <memory>

#include "bench/engines/observer.h"

namespace feedrate {

[[nodiscard]] std::unique_ptr<StartObserver> make_loader_figures_observer();

}  // namespace feedrate
