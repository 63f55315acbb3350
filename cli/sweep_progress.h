// SPDX-License-Identifier: Apache-2.0
// The progress of a sweep on stderr.
#pragma once
#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "bench/runner.h"
#include "core/host/console.h"

namespace feedrate {

/// Call begin(), end() and finish() from the runner's thread, damaged() from any.
class SweepProgress {
 public:
  SweepProgress(Console& console, const RunResult& run);

  void begin(const RunnerProgress& now);
  /// The measurement is over; the time until the next begin() is the harness's.
  void measured();
  void end(const RunnerProgress& now);
  /// A damaged record was skipped; named once.
  void damaged(const std::string& what);
  [[nodiscard]] std::size_t damaged_records();
  /// Clears the line and prints damaged records and the harness's own time.
  void finish(const RunResult& run);

 private:
  Console& console_;
  const std::chrono::steady_clock::time_point start_;
  const std::vector<std::string> varying_;  // names the cells
  std::chrono::steady_clock::time_point
      measured_{};               // end of the last start; the epoch before the first
  std::vector<double> between_;  // seconds from each start to the next
  std::mutex mutex_;
  std::set<std::string> damaged_;  // Guarded by mutex_.
};

}  // namespace feedrate
