// SPDX-License-Identifier: Apache-2.0
// Talks with the Python child: receives its messages and its standard error, and reports how it
// ended.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "bench/engines/torch/messages.h"
#include "bench/engines/torch/python_child.h"
#include "core/host/wake_up.h"

namespace feedrate {

/// Used by one thread, see PythonChild.
class Conversation {
 public:
  /// Sends the job, a line of JSON.
  Conversation(PythonChild child, const std::string& job, const std::stop_token& stop);
  /// Gives a child that still runs a moment to clean up.
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  /// Blocks for the next message. Throws Error, with the child's output, if it has ended, has
  /// reported an exception (ConfigError if that is the user's mistake) or sends an invalid message;
  /// Cancelled once a stop is requested.
  [[nodiscard]] TorchMessage next();

  /// Lets a waiting child continue, not before `sleep_until` of CLOCK_MONOTONIC.
  void answer(Nanos sleep_until = {});

  /// Sends a line with at most two descriptors. next() notices that a child has ended.
  void send(const std::string& line, std::span<const int> descriptors);

  [[nodiscard]] pid_t process() const noexcept { return child_.process.pid(); }
  [[nodiscard]] bool has_ended() { return child_.process.has_ended(); }

  /// Called after the last message: waits for the child to end, then kills it.
  void finish();

  /// Returns the tracebacks that the child and its forked workers print within a moment.
  [[nodiscard]] std::string where_it_hangs();

  /// Returns the child's standard output and error; a long text without its middle.
  [[nodiscard]] std::string output();

 private:
  class Text {
   public:
    void add(std::string_view more);
    [[nodiscard]] std::string shown() const;
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

   private:
    std::string begin_, end_;
    std::size_t size_ = 0;
  };

  [[nodiscard]] std::optional<TorchMessage> buffered();
  void send_all(std::string_view text);
  void wait_for_news();
  void read_socket();
  void read_output();
  [[noreturn]] void fail_with_end();

  const std::stop_token stop_;
  WakeUp wake_up_;
  std::stop_callback<std::function<void()>> on_stop_;
  PythonChild child_;
  std::string buffer_;  // The incomplete line.
  Text output_;
  bool over_ = false;         // The socket has reached its end.
  bool output_over_ = false;  // The pipe has reached its end.
};

}  // namespace feedrate
