// SPDX-License-Identifier: Apache-2.0
// A Python that imports torch once and forks a child for each cell, so that a start of a loader
// costs no import of seconds. A child is a fresh process of one thread, and torch is unused
// in it.
#pragma once
#include <optional>
#include <stop_token>
#include <string>

#include "engines/torch/conversation.h"
#include "engines/torch/runtime.h"

namespace feedrate {

/// One thread, see PythonChild; outlives its children.
class ForkServer {
 public:
  /// Throws SystemError.
  explicit ForkServer(const TorchRuntime& runtime);

  /// The first one waits until everything is imported. The child ends with the server. Throws as
  /// Conversation::next() does; then the server is of no more use.
  [[nodiscard]] PythonChild fork(const std::stop_token& stop);

  /// The parent of its children.
  [[nodiscard]] pid_t process() const noexcept { return server_.process(); }
  [[nodiscard]] bool has_ended() const { return server_.has_ended(); }
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
