// SPDX-License-Identifier: Apache-2.0
// The summary that `feedrate run` prints at the end. Pure; any thread.
#pragma once
#include <string>
#include <vector>

#include "training/summary_checks.h"
#include "training/watched_training.h"

namespace feedrate {

/// Printable lines without their ends: the loader, its times, the verdict, what was tuned and what
/// that cost, the line to change, other loaders.
[[nodiscard]] std::vector<std::string> summary_lines(const WatchedTraining& training);

/// The subject of the summary: the main loader with the script's own settings, at the batch size
/// with the most time; null after too few steps.
[[nodiscard]] const WatchedLoader* summary_loader(const WatchedTraining& training);

/// Steps of that loader at all settings.
[[nodiscard]] std::size_t summary_steps(const WatchedTraining& training);

/// The result of a tuning; nothing if the script ended too early.
[[nodiscard]] std::optional<TuningFacts> tuning_facts(const InPlaceTuner& tuner);

/// The statements that the summary may make about it.
[[nodiscard]] TuningStatement tuning_statement(const WatchedTraining& training,
                                               const InPlaceTuner& tuner, const TuningFacts& facts);

/// The latest tuning of a loader; null if there was none.
[[nodiscard]] const InPlaceTuner* last_tuning(const WatchedTraining& training,
                                              const WatchedLoader& of);

inline constexpr int kVerdictSchemaVersion = 1;

/// The verdict on a training for programs, an object on one line: the loader as the script has it,
/// its times in seconds, shares from 0 to 1, the tuning, and in "text" the lines of the summary.
/// "null" after too few steps.
[[nodiscard]] std::string verdict_json(const WatchedTraining& training);

/// The same as a message to the process of that loader. REQUIRES: enough steps
[[nodiscard]] std::string verdict_message(const WatchedTraining& training);

}  // namespace feedrate
