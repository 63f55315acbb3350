// SPDX-License-Identifier: Apache-2.0
// Converts a watched script to a run: a cell for each loader and setting, so that readers of sweeps
// can read it, and the history, a view of the step logs (training/step_log.h). Pure; any thread.
#pragma once
#include <string>
#include <vector>

#include "core/result.h"
#include "training/watch.h"

namespace feedrate {

class InPlaceTuner;

/// The settings of its cell: "site" distinguishes loaders, the others are PyTorch's arguments.
[[nodiscard]] Settings settings_of(const ScriptLoader& loader);

/// Replaces the cells of `run` by the loaders watched until now, and adds the version of PyTorch.
void set_cells(RunResult& run, const Watch& watch);

/// The loaders of the first rank with a block of kept steps; sorted by time, longest first.
[[nodiscard]] std::vector<LoaderHistory> histories(const Watch& watch);

/// Adds the history to `run`, with the lines of the verdict. `tuner` is null without a tuning.
void set_history(RunResult& run, const Watch& watch, const InPlaceTuner* tuner,
                 std::vector<std::string> verdict);

}  // namespace feedrate
