// SPDX-License-Identifier: Apache-2.0
// A watched script as a run: a cell for each loader and setting, so that whatever reads the results
// of a sweep reads these. Pure; any thread.
#pragma once
#include <string>

#include "core/result.h"
#include "training/watch.h"

namespace feedrate {

/// Of the cell; "site" tells loaders apart, all others are PyTorch's arguments.
[[nodiscard]] Settings settings_of(const ScriptLoader& loader);

/// Replaces the cells of `run` by what was watched so far, and adds which PyTorch it was.
void set_cells(RunResult& run, const Watch& watch);

}  // namespace feedrate
