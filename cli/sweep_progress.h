// SPDX-License-Identifier: Apache-2.0
// What a sweep says on stderr while it runs.
#pragma once
#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "bench/runner.h"
#include "core/host/console.h"

namespace feedrate {

/// begin(), end() and finish() from the runner's thread, damaged() from any.
class SweepProgress {
 public:
  SweepProgress(Console& console, const RunResult& run);

  void begin(const RunnerProgress& now);
  /// The start's measurement is over; what comes up to the next begin() is the harness's own time.
  void measured();
  void end(const RunnerProgress& now);
  /// A damaged record that was skipped; named once.
  void damaged(const std::string& what);
  [[nodiscard]] std::size_t damaged_records();
  /// Clears the line and says what was damaged and how long the harness itself took.
  void finish(const RunResult& run);

 private:
  Console& console_;
  const std::chrono::steady_clock::time_point start_;
  const std::vector<std::string> varying_;            // What tells the cells apart.
  std::chrono::steady_clock::time_point measured_{};  // The last start; none yet: the epoch.
  std::vector<double> between_;                       // Seconds, from each start to the next.
  std::mutex mutex_;
  std::set<std::string> damaged_;  // Guarded by mutex_.
};

}  // namespace feedrate
