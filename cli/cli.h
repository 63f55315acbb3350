// SPDX-License-Identifier: Apache-2.0
// The command line: which command, with which options.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "core/host/console.h"

namespace feedrate {

using Command = std::function<int(Console&)>;

/// Either a command to run, or what to print and the code to exit with (--help, a wrong flag).
struct ParsedCommand {
  Command run;
  bool only_reads = false;        ///< there is nothing to bring to an end when it is interrupted
  bool hands_signals_on = false;  ///< to a script: none is feedrate's
  std::string text;
  int exit_code = kExitOk;
};

/// Never throws; `argv` as main() gets it.
[[nodiscard]] ParsedCommand parse_command_line(int argc, const char* const* argv);

}  // namespace feedrate
