// A Python that imports torch once and forks a child for each cell, so that a start of a loader
// costs no import of seconds. A child is a fresh process of one thread, and nobody has used torch
// in it.
#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/engines/torch/conversation.h"
#include "bench/engines/torch/runtime.h"

namespace feedrate {

/// One thread, see PythonChild; outlives its children.
class ForkServer {
 public:
  /// Returns when everything is imported. Throws as Conversation::next() does.
  ForkServer(const TorchRuntime& runtime, const std::stop_token& stop);

  /// Ends with the server. Throws as Conversation::next() does; then the server is of no more use.
  [[nodiscard]] StartedPython fork();

  /// The parent of its children.
  [[nodiscard]] pid_t process() const noexcept { return server_.process(); }
  [[nodiscard]] bool has_ended() const { return server_.has_ended(); }

 private:
  /// Of what it has done; warnings meanwhile are of no cell.
  template <typename Message>
  [[nodiscard]] Message wait_for();
  [[nodiscard]] std::optional<int> reap(pid_t child);

  Conversation server_;
};

}  // namespace feedrate
