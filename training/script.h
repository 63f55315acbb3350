// SPDX-License-Identifier: Apache-2.0
// Starts the user's command and forwards signals to it. One thread.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <signal.h>

#include "core/host/process.h"

namespace feedrate {

/// The signal dispositions and the mask that feedrate was started with, for the script to inherit.
class InheritedSignals {
 public:
  /// Saves them. Then SIGCHLD gets its default action, since the kernel discards the exit status of
  /// a child where it is ignored; SIGPIPE and SIGXFSZ are ignored, so that a write that fails is an
  /// error.
  InheritedSignals();
  InheritedSignals(const InheritedSignals&) = delete;
  InheritedSignals& operator=(const InheritedSignals&) = delete;
  ~InheritedSignals() { restore(); }

  /// Async-signal-safe: a child calls it between fork() and exec().
  void restore() const noexcept;

 private:
  std::array<struct sigaction, 3> saved_{};
  sigset_t mask_{};
};

/// Blocks the signals that a script may be sent, in this thread and those started later, until the
/// destructor, and forwards the ones sent only to feedrate. The script itself receives signals of
/// the terminal, as at Ctrl-C, and those sent to the whole process group or job.
class ForwardedSignals {
 public:
  /// Throws SystemError.
  ForwardedSignals();
  ForwardedSignals(const ForwardedSignals&) = delete;
  ForwardedSignals& operator=(const ForwardedSignals&) = delete;
  ~ForwardedSignals();

  /// Readable when a signal has arrived.
  [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }
  /// Returns whether one requested the end: SIGINT, SIGTERM, SIGHUP, SIGQUIT.
  bool forward(pid_t script);

 private:
  struct Received {
    int signal = 0;
    Nanos when{};  // Of the steady clock.
  };

  /// Whether `signal`, which this process received, was sent to the process group or job, too.
  [[nodiscard]] bool was_sent_to_group(int signal);

  sigset_t usual_{};
  UniqueFd descriptor_;
  UniqueFd reports_;                          // From group_member_.
  std::optional<ChildProcess> group_member_;  // Reports the signals that it gets.
  std::vector<Received> received_;            // Reported, and not yet got by this process.
};

/// `command` with feedrate's terminal, working directory and process group, and with the signals
/// that feedrate was started with. It does not end with feedrate. `signals` must outlive it.
[[nodiscard]] Program script_program(const std::vector<std::string>& command,
                                     EnvironmentVariables environment,
                                     const InheritedSignals& signals);

/// Reaps the orphans that process 1 inherits, as in a container, but not the script. Does nothing
/// in any other process.
void reap_orphans(pid_t script);

}  // namespace feedrate
