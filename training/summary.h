// SPDX-License-Identifier: Apache-2.0
// What `feedrate run` says at the end. Pure; any thread.
#pragma once
#include <string>
#include <vector>

#include "training/summary_checks.h"
#include "training/training_tuner.h"

namespace feedrate {

/// Printable lines without their ends: the loader, its times, the verdict, what was tuned and what
/// that cost, the line to change, other loaders.
[[nodiscard]] std::vector<std::string> summary_lines(const TrainingTuner& training);

/// The loader that the summary is about, as the script has set it, at the batch size with the most
/// time; null where too few steps were seen.
[[nodiscard]] const WatchedLoader* summary_loader(const TrainingTuner& training);

/// Steps of that loader at all settings.
[[nodiscard]] std::size_t summary_steps(const TrainingTuner& training);

/// What came of a tuning; nothing where the script ended too early.
[[nodiscard]] std::optional<TuningFacts> tuning_facts(const InPlaceTuner& tuner);

/// What may be stated of it.
[[nodiscard]] TuningStatement tuning_statement(const TrainingTuner& training,
                                               const InPlaceTuner& tuner, const TuningFacts& facts);

/// The last time that a loader was tuned; null where it was not.
[[nodiscard]] const InPlaceTuner* last_tuning(const TrainingTuner& training,
                                              const WatchedLoader& of);

}  // namespace feedrate
