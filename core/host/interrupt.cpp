// SPDX-License-Identifier: Apache-2.0
#include "core/host/interrupt.h"

#include <chrono>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "core/error.h"
#include "core/host/console.h"

namespace feedrate {
namespace {

using std::chrono::steady_clock;

// GNU timeout, scancel and launchers that forward signals send a signal twice within a millisecond.
constexpr auto kOneAndTheSame = std::chrono::seconds(1);

bool is_ignored(int number) {
  struct sigaction action {};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// SIGUSR1 from the destructor also ends the listener.
sigset_t handled_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGUSR1);
  sigaddset(&signals, SIGXCPU);
  if (!is_ignored(SIGHUP)) sigaddset(&signals, SIGHUP);
  return signals;
}

void tell(int signal, bool at_once) {
  const char* const begin = ::isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "";  // Clears progress.
  const std::string text = fmt::format(
      "{}feedrate: SIG{}{}; {}\n", begin, ::sigabbrev_np(signal),
      signal == SIGXCPU ? ", the CPU time limit (ulimit -t) is reached" : "",
      at_once ? "interrupted" : "stopping; send the signal again after one second to stop at once");
  static_cast<void>(::write(STDERR_FILENO, text.data(), text.size()));
}

}  // namespace

Interrupt::Interrupt(bool at_once) try {
  const sigset_t signals = handled_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A write beyond the file size limit or to a closed pipe is an error to report, so these signals
  // must not end the program.
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  listener_ = std::jthread([this, signals, at_once](const std::stop_token& done) {
    steady_clock::time_point stopped;
    for (;;) {
      int received = 0;
      sigwait(&signals, &received);
      if (done.stop_requested()) return;
      if (first_ == 0) {
        first_ = received;
        stopped = steady_clock::now();
        tell(received, at_once);
        if (at_once) _exit(exit_code());
        source_.request_stop();
      } else if (received != SIGXCPU && steady_clock::now() - stopped >= kOneAndTheSame) {
        _exit(exit_code());
      }
    }
  });
} catch (const std::system_error& error) {
  throw SystemError("the signal thread",
                    "cannot be started; is the limit of processes (ulimit -u, pids.max) reached?",
                    error.code().value());
}

Interrupt::~Interrupt() {
  listener_.request_stop();
  pthread_kill(listener_.native_handle(), SIGUSR1);
}

int Interrupt::exit_code() const noexcept {
  return first_ == SIGUSR1 ? kExitTryAgain : kExitInterrupted;
}

}  // namespace feedrate
