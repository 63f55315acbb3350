// SPDX-License-Identifier: Apache-2.0
// Converts a watched script to a run with a cell for each loader and setting, so that readers of
// sweeps can read it. Pure; any thread.
#pragma once
#include <string>

#include "core/result.h"
#include "training/watch.h"

namespace feedrate {

/// The settings of its cell: "site" distinguishes loaders, the others are PyTorch's arguments.
[[nodiscard]] Settings settings_of(const ScriptLoader& loader);

/// Replaces the cells of `run` by the loaders watched until now, and adds the version of PyTorch.
void set_cells(RunResult& run, const Watch& watch);

}  // namespace feedrate
