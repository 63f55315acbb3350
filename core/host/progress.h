// SPDX-License-Identifier: Apache-2.0
// Progress on stderr: redrawn in place on a terminal, otherwise a line every 10 s.
#pragma once
#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

#include "core/host/console.h"

namespace feedrate {

/// Prints "converting 1,200 of 50,000 · 3,400/s · 14 s left". Any thread may call advance().
class Progress {
 public:
  Progress(Console& console, std::string action, std::size_t total);
  /// Clears the bar.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::size_t count = 1);

 private:
  using Time = std::chrono::steady_clock::time_point;
  // REQUIRES: mutex_ is held.
  void draw(Time now);

  Console& console_;
  const std::string action_;
  const std::size_t total_;
  const Time start_;
  std::mutex mutex_;
  std::size_t done_ = 0;  // Guarded by mutex_.
  Time next_draw_;        // Guarded by mutex_.
};

}  // namespace feedrate
