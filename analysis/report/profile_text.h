// SPDX-License-Identifier: Apache-2.0
// The Execution Summaries that `sweep --profile` left beside a run. Any thread.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace feedrate {

/// Of profile.txt's text, by the cell's index: what stands below each line "== cell 7: …".
[[nodiscard]] std::map<std::size_t, std::string> split_profiles(std::string_view text);

/// Of the profile.txt in the folder of `run`, which is a run's folder or a file in it; empty where
/// there is none. Throws SystemError.
[[nodiscard]] std::map<std::size_t, std::string> load_profiles(const std::filesystem::path& run);

}  // namespace feedrate
