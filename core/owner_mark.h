// SPDX-License-Identifier: Apache-2.0
// Whose a temporary file or folder is, in its name: so that what a killed process has left can be
// told from what is in use, and removed by the next one. Any thread.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace feedrate {

/// This process: "PID_START_SPACE", the last two in hexadecimal digits, where SPACE tells one boot
/// of one machine (and one container) from another.
[[nodiscard]] std::string owner_mark();

/// Removes what this user has in `folder` under a name of `prefix` and the mark of a process that
/// is gone. What another machine or container marked stays: its processes cannot be seen from here.
/// Nothing is reported: what cannot be removed is left to the next one.
void remove_left_behind(const std::filesystem::path& folder, std::string_view prefix) noexcept;

}  // namespace feedrate
