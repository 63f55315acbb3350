// SPDX-License-Identifier: Apache-2.0
// feedrate run: starts an unchanged training script and reports what its steps wait for.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/host/console.h"

namespace feedrate {

struct RunOptions {
  /// The typed command: "train.py" with its arguments, or a program such as torchrun with its own.
  std::vector<std::string> command;
  bool tune = false;           ///< try settings during the training and keep the best
  bool until_decided = false;  ///< end the script when the verdict is known
  std::size_t steps = 0;       ///< end the script after this number of steps; 0: never
  std::filesystem::path out;   ///< empty: feedrate-results/<script>-run-<time>
  bool json = false;           ///< print the verdict as a line of JSON on stdout at the end
  /// There is no command: a background process waits for connections to its socket, whose path it
  /// prints to stdout after "ready ". Writes results if `out` is set.
  bool listens = false;
  bool force = false;
  std::string command_line;
};

/// The script keeps stdin, stdout and stderr; feedrate prints to stderr. Returns the script's exit
/// code, or 0 if feedrate has ended it. Blocks signals and passes them on (training/script.h).
/// Throws ConfigError if the command cannot be started.
[[nodiscard]] int run_script(const RunOptions& options, Console& console);

/// The program to start for `command`: Python for a .py file, -m and -c.
[[nodiscard]] std::vector<std::string> script_command(const std::vector<std::string>& command);

}  // namespace feedrate
