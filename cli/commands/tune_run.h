// SPDX-License-Identifier: Apache-2.0
// feedrate tune RUN: predicts other settings for a training that `feedrate run` has watched.
#pragma once
#include <filesystem>

#include "core/host/console.h"

namespace feedrate {

/// Predicts by the replay; measures nothing. `run` is a results folder. Throws ConfigError if it
/// has no watched training.
[[nodiscard]] int tune_watched_run(const std::filesystem::path& run, bool json, Console& console);

}  // namespace feedrate
