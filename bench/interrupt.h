// Ctrl-C and SIGTERM as a stop token.
#pragma once
#include <stop_token>
#include <thread>

namespace feedrate {

/// Blocks the signals in the thread that makes it and in all started afterwards, and waits for them
/// on a thread of its own: make it first in main(). The first signal triggers the token, so that
/// what is known can be written; a second one ends the program at once, with exit code 130.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  [[nodiscard]] std::stop_token token() const noexcept { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread listener_;
};

}  // namespace feedrate
