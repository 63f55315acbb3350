// SPDX-License-Identifier: Apache-2.0
// How a long job over many records is run, and whom it tells.
#pragma once
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string_view>

namespace feedrate {

/// The callbacks are called on the thread that runs the job; either may be empty.
struct Job {
  unsigned threads = 0;  ///< workers; 0 means one for each CPU this process may use
  std::stop_token stop =
      {};  ///< the job then throws Cancelled and leaves nothing unfinished behind
  std::function<void(std::string_view action, std::size_t total)> on_start = {};
  std::function<void(std::size_t count)> on_advance = {};

  [[nodiscard]] unsigned worker_count() const;
  void start(std::string_view action, std::size_t total) const;
  void advance() const;
};

}  // namespace feedrate
