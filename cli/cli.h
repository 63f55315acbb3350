// SPDX-License-Identifier: Apache-2.0
// Parses the command line.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "core/host/console.h"

namespace feedrate {

using Command = std::function<int(Console&)>;

/// A command to run, or a text to print and an exit code (--help, a wrong flag).
struct ParsedCommand {
  Command run;
  bool only_reads = false;        ///< an interrupt needs no cleanup
  bool hands_signals_on = false;  ///< the command passes signals on to a script
  std::string text;
  int exit_code = kExitOk;
};

/// Never throws; `argv` is main()'s.
[[nodiscard]] ParsedCommand parse_command_line(int argc, const char* const* argv);

}  // namespace feedrate
