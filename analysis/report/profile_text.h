// SPDX-License-Identifier: Apache-2.0
// Reads the Execution Summaries of `sweep --profile`. Any thread.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace feedrate {

/// Splits the text of profile.txt by cell index: the lines below each "== cell 7: …".
[[nodiscard]] std::map<std::size_t, std::string> split_profiles(std::string_view text);

/// Reads the profile.txt in the folder of `run`, which is a run's folder or a file in it; empty if
/// there is none. Throws SystemError.
[[nodiscard]] std::map<std::size_t, std::string> load_profiles(const std::filesystem::path& run);

}  // namespace feedrate
