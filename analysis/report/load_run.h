// SPDX-License-Identifier: Apache-2.0
// Results from wherever they lie. Any thread.
#pragma once
#include <filesystem>

#include "core/result.h"

namespace feedrate {

/// Whether a folder holds a run.json or a cells.csv with something in it.
[[nodiscard]] bool holds_run(const std::filesystem::path& folder);

/// `path` is a run's folder (run.json is preferred to cells.csv), a run.json or a CSV of cells.
/// What a sweep that runs or was killed has in its run.journal belongs to the run.json beside it,
/// and so does the recommendation.json of a tune.
/// Throws ConfigError where there is no such thing, FormatError where it is damaged.
[[nodiscard]] RunResult load_run(const std::filesystem::path& path);

}  // namespace feedrate
