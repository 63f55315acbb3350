// SPDX-License-Identifier: Apache-2.0
// The verdict on a training as JSON, for `feedrate run --json` and for scripts that use the Python
// package. Pure; any thread.
#pragma once
#include <string>

#include "training/watched_training.h"

namespace feedrate {

inline constexpr int kVerdictSchemaVersion = 1;

/// An object on one line: the loader as the script has it, its times in seconds, shares from 0 to
/// 1, the tuning, and in "text" the lines of the summary. "null" after too few steps.
[[nodiscard]] std::string verdict_json(const WatchedTraining& training);

/// The same as a message to the process of that loader. REQUIRES: enough steps
[[nodiscard]] std::string verdict_message(const WatchedTraining& training);

}  // namespace feedrate
