// SPDX-License-Identifier: Apache-2.0
// Talking with the Python child: its messages one by one, its standard error in between, and how
// it ended.
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

/// One thread, see PythonChild.
class Conversation {
 public:
  /// Hands it the job, a line of JSON.
  Conversation(PythonChild child, const std::string& job, const std::stop_token& stop);
  /// Gives a child that is left early a moment to tidy up.
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  /// Blocks for the next message. Throws Error with the child's own words if it ended, if it told
  /// of an exception (ConfigError where that is a mistake of the user's), or sends what is no
  /// message; Cancelled once a stop is requested.
  [[nodiscard]] TorchMessage next();

  /// Lets a child that waits go on, not before `sleep_until` of CLOCK_MONOTONIC.
  void answer(Nanos sleep_until = {});

  /// A line, which carries at most two descriptors. A child that has ended is noticed by next().
  void send(const std::string& line, std::span<const int> descriptors);

  [[nodiscard]] pid_t process() const noexcept { return child_.id(); }
  [[nodiscard]] bool has_ended() const { return child_.has_ended(); }

  /// After its last message: lets it tidy up and end, and ends it if it does not.
  void finish();

  /// Where its Python and that of forked workers stand now, as far as they tell within a moment.
  [[nodiscard]] std::string where_it_hangs();

  /// What was written to standard output and error, the middle left out where it was much.
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
  std::string buffer_;  // What came and is not yet a whole line.
  Text output_;
  bool over_ = false;         // Nothing more will come through the socket …
  bool output_over_ = false;  // … or the pipe.
};

}  // namespace feedrate
