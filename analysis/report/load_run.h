// SPDX-License-Identifier: Apache-2.0
// Loads results. Any thread.
#pragma once
#include <filesystem>

#include "core/result.h"

namespace feedrate {

/// Whether a folder contains a run.json or a cells.csv that is not empty.
[[nodiscard]] bool holds_run(const std::filesystem::path& folder);

/// `path` is a run's folder (run.json is preferred to cells.csv), a run.json or a CSV of cells. A
/// run.json is completed by the run.journal of a running or killed sweep and the
/// recommendation.json of a tune in its folder. Throws ConfigError if there is no such file,
/// FormatError if it is damaged.
[[nodiscard]] RunResult load_run(const std::filesystem::path& path);

}  // namespace feedrate
