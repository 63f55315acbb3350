// SPDX-License-Identifier: Apache-2.0
// Turns Ctrl-C, SIGTERM, SIGHUP, SIGUSR1 and SIGXCPU into a stop token.
#pragma once
#include <atomic>
#include <stop_token>
#include <thread>

namespace feedrate {

/// Blocks the signals in the constructing thread and in all threads started later, and waits for
/// them on its own thread: construct it first in main(). The first signal triggers the token, so
/// that results can be written; another one at least a second later ends the program at once, with
/// exit_code(). SIGHUP is left alone if it is ignored, as under nohup.
class Interrupt {
 public:
  /// If `at_once`, the first signal ends the program. Throws SystemError.
  explicit Interrupt(bool at_once);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  [[nodiscard]] std::stop_token token() const noexcept { return source_.get_token(); }

  /// Returns the exit code of a stopped program: 75 if the first signal was SIGUSR1, which a batch
  /// system sends when the job's time is over, else 130. Any thread.
  [[nodiscard]] int exit_code() const noexcept;

 private:
  std::atomic<int> first_ = 0;  // The first signal.
  std::stop_source source_;
  std::jthread listener_;
};

}  // namespace feedrate
