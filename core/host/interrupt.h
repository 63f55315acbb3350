// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, SIGTERM, SIGHUP, SIGUSR1 and SIGXCPU as a stop token.
#pragma once
#include <atomic>
#include <stop_token>
#include <thread>

namespace feedrate {

/// Blocks the signals in the thread that makes it and in all started afterwards, and waits for them
/// on a thread of its own: make it first in main(). The first signal triggers the token, so that
/// what is known can be written; another one, a second later or more, ends the program at once,
/// with exit_code(). SIGHUP only where it is not ignored, as nohup does.
class Interrupt {
 public:
  /// With `at_once` the first signal ends the program. Throws SystemError.
  explicit Interrupt(bool at_once);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  [[nodiscard]] std::stop_token token() const noexcept { return source_.get_token(); }

  /// Of a program that was stopped: 75 where SIGUSR1 came first, by which a batch system says that
  /// the job's time is up, else 130. Any thread.
  [[nodiscard]] int exit_code() const noexcept;

 private:
  std::atomic<int> first_ = 0;  // Signal.
  std::stop_source source_;
  std::jthread listener_;
};

}  // namespace feedrate
