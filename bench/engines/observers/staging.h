// SPDX-License-Identifier: Apache-2.0
// What it took to copy the dataset to where it is used: staging_time. One thread.
#pragma once
#include <memory>

#include "bench/engines/observer.h"

namespace feedrate {

/// Adds nothing where nothing was staged, or where the loader reads no dataset.
[[nodiscard]] std::unique_ptr<StartObserver> make_staging_observer(const StartContext& start);

}  // namespace feedrate
