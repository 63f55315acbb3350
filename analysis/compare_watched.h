// SPDX-License-Identifier: Apache-2.0
// What of watched trainings is held against each other: their loaders, each at the settings that it
// ended with, and whatever those are. So a run of a script is compared with one of the same script
// whose settings are others, or were tuned. The results must outlive it; any thread.
#pragma once
#include <span>
#include <vector>

#include "analysis/compare.h"

namespace feedrate {

/// Whether all of them are such runs.
[[nodiscard]] bool are_watched(std::span<const NamedRun> runs);

class WatchedComparison {
 public:
  /// REQUIRES: are_watched(runs)
  WatchedComparison(std::span<const NamedRun> runs, const ComparisonRule& rule);
  WatchedComparison(const WatchedComparison&) = delete;
  WatchedComparison& operator=(const WatchedComparison&) = delete;
  ~WatchedComparison() = default;

  [[nodiscard]] std::span<const NamedRun> runs() const { return runs_; }
  /// Without the settings that a loader may change, where they differ; and without the loader's
  /// place in the script, where each run has one loader.
  [[nodiscard]] const ComparisonRule& rule() const { return rule_; }

 private:
  std::vector<RunResult> results_;
  std::vector<NamedRun> runs_;
  ComparisonRule rule_;
};

}  // namespace feedrate
