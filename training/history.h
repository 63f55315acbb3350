// SPDX-License-Identifier: Apache-2.0
// The history of a watched training, as a view of its step logs (training/step_log.h). Pure; any
// thread.
#pragma once
#include <string>
#include <vector>

#include "core/result.h"
#include "training/watch.h"

namespace feedrate {

class InPlaceTuner;

/// The loaders of the first rank with a block of kept steps; sorted by time, longest first.
[[nodiscard]] std::vector<LoaderHistory> histories(const Watch& watch);

/// Adds the history to `run`, with the lines of the verdict. `tuner` is null without a tuning.
void set_history(RunResult& run, const Watch& watch, const InPlaceTuner* tuner,
                 std::vector<std::string> verdict);

}  // namespace feedrate
