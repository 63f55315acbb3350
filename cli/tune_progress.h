// SPDX-License-Identifier: Apache-2.0
// The progress of a tune on stderr: what it measures and why, the current answer, the time left.
// One thread, except damaged().
#pragma once
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "analysis/tuner/tuner.h"
#include "core/host/console.h"
#include "core/result.h"

namespace feedrate {

class TuneProgress {
 public:
  TuneProgress(Console& console, const std::vector<Candidate>& candidates, std::size_t probes,
               double budget_seconds);

  /// The following starts verify with PyTorch's DataLoader.
  void begin_verifying();
  void begin(const StartRequest& request, const CellResult& cell);
  void end(const StartRequest& request, const CellResult& cell, const Tuner& tuner,
           double seconds_left);
  /// A damaged record was skipped; any thread.
  void damaged(const std::string& what);
  [[nodiscard]] std::size_t damaged_records();

 private:
  [[nodiscard]] std::string title(const StartRequest& request, const CellResult& cell) const;
  [[nodiscard]] std::string standing(const Tuner& tuner) const;

  Console& console_;
  std::size_t probes_;
  const std::vector<std::string> varying_;  // names the candidates
  std::size_t probed_ = 0;
  std::mutex mutex_;
  std::set<std::string> damaged_;  // Guarded by mutex_.
};

}  // namespace feedrate
