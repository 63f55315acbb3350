// SPDX-License-Identifier: Apache-2.0
// The progress of a sweep on stderr.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "bench/runner.h"
#include "core/host/console.h"

namespace feedrate {

/// Used by the runner's thread only.
class SweepProgress {
 public:
  SweepProgress(Console& console, const RunResult& run);

  void begin(const RunnerProgress& now);
  /// The measurement is over; the time until the next begin() is the harness's.
  void measured();
  void end(const RunnerProgress& now);
  /// Clears the line and prints damaged records and the harness's own time.
  void finish(const RunResult& run, const std::vector<std::string>& damaged);

 private:
  Console& console_;
  const std::chrono::steady_clock::time_point start_;
  const std::vector<std::string> varying_;  // names the cells
  std::chrono::steady_clock::time_point
      measured_{};               // end of the last start; the epoch before the first
  std::vector<double> between_;  // seconds from each start to the next
};

}  // namespace feedrate
