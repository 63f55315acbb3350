// SPDX-License-Identifier: Apache-2.0
// What `feedrate run` says at the end. Pure; any thread.
#pragma once
#include <string>
#include <vector>

#include "training/training_tuner.h"

namespace feedrate {

/// Lines without their ends: the loader, its times, the verdict, what was tuned and what that cost,
/// the line to change, other loaders.
[[nodiscard]] std::vector<std::string> box_lines(const TrainingTuner& training);

/// The loader that the box is about, as it was before tuning; null where too few steps were seen.
[[nodiscard]] const WatchedLoader* box_loader(const TrainingTuner& training);

/// Steps of that loader at all settings.
[[nodiscard]] std::size_t box_steps(const TrainingTuner& training);

}  // namespace feedrate
