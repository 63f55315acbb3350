// SPDX-License-Identifier: Apache-2.0
// Checks a command of `feedrate run` before it starts, and finds out why nothing was observed. Any
// thread.
#pragma once
#include <string>
#include <vector>

namespace feedrate {

/// Whether Python must run the command: it begins with a file.py, -m or -c.
[[nodiscard]] bool is_for_python(const std::vector<std::string>& command);

/// Throws ConfigError if the command begins with a file.py that does not exist: Python's own error
/// would be followed by an empty summary.
void require_script(const std::vector<std::string>& command);

/// The options of `feedrate run` after the script, which the script receives.
[[nodiscard]] std::vector<std::string> misplaced_options(const std::vector<std::string>& command);

/// Runs the interpreter of `command` in a child process, for a second at most, to look for torch:
/// "/usr/bin/python3: cannot import torch; …". Empty if torch is found or it is no Python.
[[nodiscard]] std::string why_without_torch(const std::vector<std::string>& command);

}  // namespace feedrate
