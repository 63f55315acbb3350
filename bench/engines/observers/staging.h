// SPDX-License-Identifier: Apache-2.0
// Adds staging_time, the time to copy the dataset to the storage that is measured. One thread.
#pragma once
#include <memory>

#include "bench/engines/observer.h"

namespace feedrate {

/// Adds nothing if nothing was staged or the loader reads no dataset.
[[nodiscard]] std::unique_ptr<StartObserver> make_staging_observer(const StartContext& start);

}  // namespace feedrate
