// SPDX-License-Identifier: Apache-2.0
// The settings to which a training's loader may be switched. Pure; any thread.
#pragma once
#include <cstddef>
#include <limits>
#include <vector>

#include "training/watched_loader.h"

namespace feedrate {

/// The loader's own settings first, then combinations of num_workers (up to the CPUs, more if a
/// batch mostly waits; not 0 if the script has workers), prefetch_factor, and pin_memory if a GPU
/// trains. All but its own have at most `most` batches outstanding.
[[nodiscard]] std::vector<ScriptLoader> in_place_candidates(
    const WatchedLoader& present, std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace feedrate
