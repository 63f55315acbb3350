// SPDX-License-Identifier: Apache-2.0
// The verdict on a training, for programs: what `feedrate run --json` prints, and what a script
// that uses the Python package is told. Pure; any thread.
#pragma once
#include <string>

#include "training/training_tuner.h"

namespace feedrate {

inline constexpr int kVerdictSchemaVersion = 1;

/// An object on one line: the loader as the script has it, its times in seconds, shares from 0 to
/// 1, what was tuned, and in "text" the lines of the summary. "null" where too few steps were seen.
[[nodiscard]] std::string verdict_json(const TrainingTuner& training);

/// The same as a message to the process of that loader. REQUIRES: steps enough
[[nodiscard]] std::string verdict_message(const TrainingTuner& training);

}  // namespace feedrate
