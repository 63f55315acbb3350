// SPDX-License-Identifier: Apache-2.0
// What a loader says of itself: pinned_memory, batches_per_epoch, samples_dropped, and job_time,
// which follows from them. One thread.
#pragma once
#include <memory>

#include "bench/engines/observer.h"

namespace feedrate {

[[nodiscard]] std::unique_ptr<StartObserver> make_loader_figures_observer();

}  // namespace feedrate
