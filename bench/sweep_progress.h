// What a sweep says on stderr while it runs.
#pragma once
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "bench/console.h"
#include "bench/runner.h"

namespace feedrate {

/// begin(), end() and finish() from the runner's thread, damaged() from any.
class SweepProgress {
 public:
  SweepProgress(Console& console, const std::vector<CellResult>& cells);

  void begin(const RunnerProgress& now);
  void end(const RunnerProgress& now);
  /// A damaged record that was skipped; named once.
  void damaged(const std::string& what);
  /// Clears the line and says what was damaged.
  void finish(const RunResult& run);

 private:
  [[nodiscard]] std::string describe(const CellResult& cell) const;

  Console& console_;
  const std::chrono::steady_clock::time_point start_;
  std::vector<std::string> axes_;  // Settings that differ between cells.
  std::mutex mutex_;
  std::map<std::string, std::size_t> damaged_;  // Guarded by mutex_. How often each was met.
};

}  // namespace feedrate
