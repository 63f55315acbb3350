// SPDX-License-Identifier: Apache-2.0
// Threads, cancellation and progress callbacks of a long job over many records.
#pragma once
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string_view>

namespace feedrate {

/// Callbacks run on the thread that runs the job; either may be empty.
struct Job {
  unsigned threads = 0;       ///< workers; 0: one per CPU of this process
  std::stop_token stop = {};  ///< makes the job throw Cancelled and remove partial output
  std::function<void(std::string_view action, std::size_t total)> on_start = {};
  std::function<void(std::size_t count)> on_advance = {};

  [[nodiscard]] unsigned worker_count() const;
  void start(std::string_view action, std::size_t total) const;
  void advance() const;
};

}  // namespace feedrate
