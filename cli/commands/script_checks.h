// SPDX-License-Identifier: Apache-2.0
// What is wrong with a command of `feedrate run` before it starts, and why nothing of it was seen.
// Any thread.
#pragma once
#include <string>
#include <vector>

namespace feedrate {

/// Whether a Python is to be put before the command: it begins with a file.py, -m or -c.
[[nodiscard]] bool is_for_python(const std::vector<std::string>& command);

/// Throws ConfigError where the command begins with a file.py that does not exist: Python's own
/// error would be followed by a summary of nothing.
void require_script(const std::vector<std::string>& command);

/// Options of `feedrate run` behind the script, which the script gets.
[[nodiscard]] std::vector<std::string> misplaced_options(const std::vector<std::string>& command);

/// Asks the interpreter that `command` begins with, in a child process of a second or less, whether
/// it has torch: "/usr/bin/python3: cannot import torch; …". Empty where it has, or is no Python.
[[nodiscard]] std::string why_without_torch(const std::vector<std::string>& command);

}  // namespace feedrate
