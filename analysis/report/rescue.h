// SPDX-License-Identifier: Apache-2.0
// Where results go when their folder cannot be written to any more: it is gone, or its disk is
// full. Any thread.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"

namespace feedrate {

/// Places for what is rescued, best first: the working directory, the temporary folder, memory.
[[nodiscard]] std::vector<std::filesystem::path> rescue_places();

/// Writes run.json, cells.csv and table.md into a new folder of this user's own in the first place
/// that takes them, and returns it; empty where none does, and then nothing is left behind.
[[nodiscard]] std::filesystem::path rescue_run(const RunResult& run,
                                               std::span<const std::filesystem::path> places);

/// What to tell about it: where the results are and how to go on, or that they are nowhere.
[[nodiscard]] std::string rescue_text(const std::filesystem::path& rescued);

}  // namespace feedrate
