// SPDX-License-Identifier: Apache-2.0
// feedrate run: starts a training script, unchanged, and says what its steps wait for.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/host/console.h"

namespace feedrate {

struct RunOptions {
  /// As it was typed: "train.py" with its arguments, or a program with its own, as torchrun.
  std::vector<std::string> command;
  bool tune = false;           ///< settings are tried while it trains, and the best one stays
  bool until_decided = false;  ///< the script is ended when its verdict is known
  std::size_t steps = 0;       ///< it is ended after this number; 0: never
  std::filesystem::path out;   ///< empty: feedrate-results/<script>-run-<time>
  bool json = false;           ///< the verdict on stdout, as one line of JSON, at the end
  /// In place of a command, a process in the background waits for those that connect to a socket of
  /// its own. Its path goes to stdout, after "ready ". Results are written where `out` says so.
  bool listens = false;
  bool force = false;
  std::string command_line;
};

/// The script keeps stdin, stdout and stderr; what feedrate says goes to stderr. Returns the
/// script's exit code, or 0 where feedrate has ended it. Blocks signals and hands them on
/// (training/script.h). Throws ConfigError where the command cannot be started.
[[nodiscard]] int run_script(const RunOptions& options, Console& console);

/// What is started for `command`: a .py file, -m and -c go to Python.
[[nodiscard]] std::vector<std::string> script_command(const std::vector<std::string>& command);

}  // namespace feedrate
