// feedrate: parse, run, report.
#include <iostream>

#include <fmt/format.h>
#include <unistd.h>

#include "bench/cli.h"
#include "bench/interrupt.h"
#include "core/error.h"

namespace {

using namespace feedrate;

int run(const ParsedCommand& command, Console& console) {
  const auto failed = [&](const std::exception& error, int code) {
    console.err << fmt::format("feedrate: {}\n", error.what());
    return code;
  };
  try {
    const int code = command.run(console);
    if (!console.out.flush()) throw Error("stdout: cannot be written; is it full, or closed?");
    return code;
  } catch (const Cancelled&) {
    console.err << "feedrate: interrupted\n";
    return kExitInterrupted;
  } catch (const ConfigError& error) {
    return failed(error, kExitUsage);
  } catch (const std::exception& error) {
    return failed(error, kExitCellFailed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const ParsedCommand command = parse_command_line(argc, argv);
  if (!command.run) {
    (command.exit_code == kExitOk ? std::cout : std::cerr) << command.text;
    return command.exit_code;
  }
  const Interrupt interrupt;
  Console console{std::cout, std::cerr, isatty(STDERR_FILENO) == 1, interrupt.token()};
  const int code = run(command, console);
  return code == kExitInterrupted ? interrupt.exit_code() : code;
}
