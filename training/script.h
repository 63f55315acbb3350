// SPDX-License-Identifier: Apache-2.0
// The user's own command, started with its terminal, arguments and environment: standard input,
// output and error, working directory, process group and signals stay its own. It is not ended when
// feedrate ends. One thread.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <signal.h>
#include <sys/types.h>

#include "core/host/file.h"
#include "training/group_witness.h"
#include "training/inherited_signals.h"

namespace feedrate {

using EnvironmentVariables = std::vector<std::pair<std::string, std::string>>;

/// Blocks the signals that a script may be sent, in this thread and those started later, from here
/// to the destructor, and hands on to the script what was sent to feedrate alone. What a terminal
/// sends, as at Ctrl-C, and what the whole process group or job is sent, the script gets itself.
class ForwardedSignals {
 public:
  /// Throws SystemError.
  ForwardedSignals();
  ForwardedSignals(const ForwardedSignals&) = delete;
  ForwardedSignals& operator=(const ForwardedSignals&) = delete;
  ~ForwardedSignals();

  /// Readable when a signal has come.
  [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }
  /// True if one asked for an end: SIGINT, SIGTERM, SIGHUP, SIGQUIT.
  bool forward(pid_t script);

 private:
  sigset_t usual_{};
  std::optional<GroupWitness> witness_;
  UniqueFd descriptor_;
};

/// The wait status of a child that has ended; that of exit code 1 where it is lost. Does not reap
/// it. Any thread.
[[nodiscard]] std::optional<int> ended_status(pid_t child);

class Script {
 public:
  /// Looks `command` up on PATH. `set` is added to its environment. Throws ConfigError where it
  /// cannot be started, SystemError where no process can be.
  Script(const std::vector<std::string>& command, const EnvironmentVariables& set,
         const InheritedSignals& signals);
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;
  /// Reaps it, if it has ended.
  ~Script();

  [[nodiscard]] pid_t id() const noexcept { return id_; }
  /// Its wait status once it has ended. Does not block. Reaps orphans, too, where this is process
  /// 1, as in a container.
  [[nodiscard]] std::optional<int> status();

 private:
  pid_t id_ = -1;
};

/// Makes this process the script, where it cannot be watched. Throws ConfigError where it cannot be
/// started.
[[noreturn]] void become(const std::vector<std::string>& command, const InheritedSignals& signals);

/// Of a wait status: what the script returned. Where a signal ended it, that ends this process too,
/// as a shell would see it without feedrate.
[[nodiscard]] int exit_as(int wait_status);

}  // namespace feedrate
