// SPDX-License-Identifier: Apache-2.0
// Adds the share of the dataset in the page cache right before the loader starts (cached_before)
// and when the device is idle (cached_after), and a warning if the first is not what was asked for.
// One thread.
#pragma once
#include <memory>

#include "bench/engines/observer.h"

namespace feedrate {

/// Adds nothing if the dataset has no files.
[[nodiscard]] std::unique_ptr<StartObserver> make_page_cache_observer(const StartContext& start);

}  // namespace feedrate
