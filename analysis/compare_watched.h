// SPDX-License-Identifier: Apache-2.0
// Compares watched trainings by their loaders at their last settings, even if these differ. The
// results must outlive it; any thread.
#pragma once
#include <span>
#include <vector>

#include "analysis/compare.h"

namespace feedrate {

[[nodiscard]] bool are_watched(std::span<const NamedRun> runs);

class WatchedComparison {
 public:
  /// REQUIRES: are_watched(runs)
  WatchedComparison(std::span<const NamedRun> runs, const ComparisonRule& rule);
  WatchedComparison(const WatchedComparison&) = delete;
  WatchedComparison& operator=(const WatchedComparison&) = delete;
  ~WatchedComparison() = default;

  [[nodiscard]] std::span<const NamedRun> runs() const { return runs_; }
  /// The rule also ignores settings of the loader that differ, and the loader's line in the script
  /// if each run has one loader.
  [[nodiscard]] const ComparisonRule& rule() const { return rule_; }

 private:
  std::vector<RunResult> results_;
  std::vector<NamedRun> runs_;
  ComparisonRule rule_;
};

}  // namespace feedrate
