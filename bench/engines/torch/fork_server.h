// SPDX-License-Identifier: Apache-2.0
// A Python process that imports torch once and forks a child for each cell and each probe, so that
// the import costs its seconds only once. A child is a new process with one thread, in which
// nothing has used torch yet.
#pragma once
#include <stop_token>
#include <string>
#include <vector>

#include "bench/engines/torch/conversation.h"

namespace feedrate {

/// Used by one thread, see PythonChild. It must outlive its children.
class ForkServer {
 public:
  /// Also imports `modules`, if they can be imported. Throws as start_python() does.
  ForkServer(const std::vector<std::string>& program, const std::vector<std::string>& modules);

  /// The first call waits until everything is imported. The child ends with the server. Throws as
  /// Conversation::next() does; after an exception or a stop the server cannot be used again.
  [[nodiscard]] PythonChild fork(const std::stop_token& stop);

  /// The parent of the children.
  [[nodiscard]] pid_t process() const noexcept { return server_.process(); }
  [[nodiscard]] bool is_usable() { return !stop_.stop_requested() && !server_.has_ended(); }
  /// See Conversation: shows which import takes long.
  [[nodiscard]] std::string where_it_hangs() { return server_.where_it_hangs(); }

 private:
  /// Skips warnings in between, which belong to no cell.
  template <typename Message>
  [[nodiscard]] Message wait_for();
  [[nodiscard]] int reap(pid_t child);

  std::stop_source stop_;  // Outlives the stop tokens of the cells.
  Conversation server_;
  bool serves_ = false;
};

}  // namespace feedrate
