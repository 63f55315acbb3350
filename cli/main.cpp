// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <iostream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/printable_stream.h"
#include "core/error.h"
#include "core/host/interrupt.h"
#include "core/host/pauses.h"
#include "device/lost.h"
#include "formats/remote/object_client.h"

namespace {

using namespace feedrate;

// Reserves descriptors 0 to 2, so that a file opened later cannot become stdout. Opens them for
// reading only, so that output still fails.
void occupy_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) == -1) static_cast<void>(::open("/dev/null", O_RDONLY));
  }
}

/// Escapes unprintable output to a terminal while it lives.
class Printable {
 public:
  Printable(std::ostream& stream, int descriptor) : stream_(stream), usual_(stream.rdbuf()) {
    if (::isatty(descriptor) == 1) stream_.rdbuf(&printable_);
  }
  Printable(const Printable&) = delete;
  Printable& operator=(const Printable&) = delete;
  ~Printable() { stream_.rdbuf(usual_); }

 private:
  std::ostream& stream_;
  std::streambuf* usual_;
  PrintableBuffer printable_{*usual_};
};

int run(const ParsedCommand& command) {
  if (command.hands_signals_on) {
    Console console{std::cout, std::cerr, isatty(STDERR_FILENO) == 1, {}};
    return command.run(console);
  }
  // if a parent left SIGCHLD ignored, the kernel would discard exit statuses of children
  static_cast<void>(std::signal(SIGCHLD, SIG_DFL));
  const Interrupt interrupt(command.only_reads);
  Console console{std::cout, std::cerr, isatty(STDERR_FILENO) == 1, interrupt.token()};
  cancel_requests_by(interrupt.token());
  try {
    const int code = command.run(console);
    if (!console.out.flush()) throw Error("stdout: cannot be written; it may be full or closed");
    return code == kExitInterrupted ? interrupt.exit_code() : code;
  } catch (const Cancelled&) {
    console.err << "feedrate: interrupted\n";
    return interrupt.exit_code();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Printable out(std::cout, STDOUT_FILENO);
  const Printable err(std::cerr, STDERR_FILENO);
  const auto failed = [](const std::exception& error, int code) {
    std::cerr << fmt::format("feedrate: {}\n", error_text(error));
    return code;
  };
  try {
    occupy_standard_descriptors();
    hold_continue_signals();
    const ParsedCommand command = parse_command_line(argc, argv);
    if (command.run) return run(command);
    (command.exit_code == kExitOk ? std::cout : std::cerr) << command.text;
    return command.exit_code;
  } catch (const ConfigError& error) {
    return failed(error, kExitUsage);
  } catch (const DeviceLostToProcess& error) {
    return failed(error, kExitTryAgain);
  } catch (const std::exception& error) {
    return failed(error, kExitCellFailed);
  }
}
