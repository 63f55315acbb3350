// SPDX-License-Identifier: Apache-2.0
// What a training's loader may be switched to. Pure; any thread.
#pragma once
#include <cstddef>
#include <limits>
#include <vector>

#include "training/watched_loader.h"

namespace feedrate {

/// The settings that may be switched to, the loader's own first: num_workers up to the CPUs, or
/// beyond where a batch mostly waits, never none where the script has some; prefetch_factor; and
/// pin_memory where a GPU trains. Others than the own have at most `most` batches outstanding.
[[nodiscard]] std::vector<ScriptLoader> in_place_candidates(
    const WatchedLoader& present, std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace feedrate
