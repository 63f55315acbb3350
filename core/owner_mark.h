// SPDX-License-Identifier: Apache-2.0
// Marks temporary files and folders with their owner process in their names, so that the next
// process can remove those of a killed one. Any thread.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace feedrate {

/// This process: "PID_START_SPACE", the last two in hexadecimal. SPACE identifies the boot of the
/// machine and the PID namespace.
[[nodiscard]] std::string owner_mark();

/// Removes this user's files in `folder` whose names have `prefix` and the mark of a process that
/// has ended. Marks of other machines or containers stay: their processes are not visible here.
/// Reports no errors; the next call tries again.
void remove_left_behind(const std::filesystem::path& folder, std::string_view prefix) noexcept;

}  // namespace feedrate
