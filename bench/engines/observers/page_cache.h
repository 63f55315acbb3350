// SPDX-License-Identifier: Apache-2.0
// Which share of the dataset lies in the page cache, right before the loader starts and when the
// device has done its work: cached_before and cached_after, and a warning where the first is not
// what was asked for. One thread.
#pragma once
#include <memory>

#include "bench/engines/observer.h"

namespace feedrate {

/// Adds nothing where the dataset has no files.
[[nodiscard]] std::unique_ptr<StartObserver> make_page_cache_observer(const StartContext& start);

}  // namespace feedrate
