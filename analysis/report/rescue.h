// SPDX-License-Identifier: Apache-2.0
// Saves results elsewhere if their folder is gone or its disk is full. Any thread.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"

namespace feedrate {

/// Folders for rescued results, best first: the working directory, the temporary folder, memory.
[[nodiscard]] std::vector<std::filesystem::path> rescue_places();

/// Writes run.json, cells.csv and table.md into a new private folder in the first of `places` that
/// accepts them, and returns it; empty, without leftovers, if none does.
[[nodiscard]] std::filesystem::path rescue_run(const RunResult& run,
                                               std::span<const std::filesystem::path> places);

/// The message for the user: the folder and how to continue, or that nothing was saved.
[[nodiscard]] std::string rescue_text(const std::filesystem::path& rescued);

}  // namespace feedrate
