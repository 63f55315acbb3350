// SPDX-License-Identifier: Apache-2.0
// The signal dispositions and the mask that feedrate was started with, for the script to inherit.
// One thread.
#pragma once
#include <array>

#include <signal.h>

namespace feedrate {

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

}  // namespace feedrate
