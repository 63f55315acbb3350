// SPDX-License-Identifier: Apache-2.0
// A Python that imports torch once and forks a child for each cell, and for what is asked before,
// so that neither costs an import of seconds. A child is a fresh process of one thread, and torch
// is unused in it.
#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/engines/torch/conversation.h"

namespace feedrate {

/// One thread, see PythonChild; outlives its children.
class ForkServer {
 public:
  /// `modules` are imported beside torch where they can be. Throws SystemError.
  ForkServer(const std::vector<std::string>& program, const std::vector<std::string>& modules);

  /// The first one waits until everything is imported. The child ends with the server. Throws as
  /// Conversation::next() does; then the server is of no more use, as after a stop.
  [[nodiscard]] PythonChild fork(const std::stop_token& stop);

  /// The parent of its children.
  [[nodiscard]] pid_t process() const noexcept { return server_.process(); }
  [[nodiscard]] bool is_of_use() const { return !stop_.stop_requested() && !server_.has_ended(); }
  /// As Conversation's, of an import that takes long.
  [[nodiscard]] std::string where_it_hangs() { return server_.where_it_hangs(); }

 private:
  /// Of what it has done; warnings in between belong to no cell.
  template <typename Message>
  [[nodiscard]] Message wait_for();
  [[nodiscard]] std::optional<int> reap(pid_t child);

  std::stop_source stop_;  // The cells' own come and go.
  Conversation server_;
  bool serves_ = false;
};

}  // namespace feedrate
