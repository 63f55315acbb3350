// SPDX-License-Identifier: Apache-2.0
// Results side by side: the first one is the baseline, and each other one is held against it, cell
// by cell. Any thread.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/match.h"
#include "core/result.h"
#include "core/statistics.h"
#include "core/verdict.h"

namespace feedrate {

struct ComparisonRule {
  double threshold = 0.05;  ///< the loss that counts as a regression
  double tolerance = 0.02;  ///< the difference that counts as none, for verdicts
  double confidence = 0.95;
  /// Settings that cells are not matched by, beside those that say how it was measured (engine,
  /// device, emulate) where each of two results has one value of its own.
  std::vector<std::string> ignored = {};
};

/// A result and what it is called: its path. The result must outlive the call that takes it.
struct NamedRun {
  std::string name;
  const RunResult* result;
};

/// One cell of one run against the baseline's.
struct AgainstBaseline {
  double rate = 0.0;
  double ratio = 0.0;  ///< of samples_per_second, run / baseline
  /// Where both have an error (uncertain_rate): exp of the interval of the log ratio
  /// (core/uncertain.h).
  std::optional<Interval> ratio_interval;
  Verdict verdict = Verdict::kUndecided;  ///< the run against the baseline
  std::string
      disturbed;  ///< "B", "A and B": where others did (analysis/foreign_load.h), no verdict
  /// How probable a ratio as low as this is where the truth is slower by no more than the
  /// tolerance; known where the interval is.
  std::optional<double> p_slower;
  bool is_regression = false;  ///< by mark_regressions
  std::optional<double> loading_time_ratio;
};

/// One cell of the baseline that was measured in another run, too.
struct ComparedCell {
  std::string name;                   ///< its settings, as far as they vary
  bool is_limit = false;              ///< a mock set its rate, in a run that has other cells
  std::vector<std::string> settings;  ///< their texts
  double baseline_rate = 0.0;
  std::vector<std::optional<AgainstBaseline>> against;  ///< one a run
};

/// A run against the baseline beyond the cells that were measured in both. In a Difference, `a` is
/// the baseline.
struct ComparedRun {
  std::string label;  ///< "B"
  std::string name;
  std::string simulation;                       ///< empty where it was measured on a real device
  std::string loader;                           ///< whose rates they are (analysis/whose_loader.h)
  std::optional<double> mean_ratio;             ///< geometric, over the cells but the limits
  std::optional<Interval> mean_ratio_interval;  ///< as if cells were independent
  /// What cells share beyond their own errors, a part of all intervals: a machine is not equally
  /// fast in two runs. A standard error of the log ratio.
  double between_runs = 0.0;
  std::vector<std::string> cautions;     ///< why the comparison may be unfair
  std::vector<Difference> not_compared;  ///< in both, but measured in one only: the two outcomes
  std::vector<std::string> broken;       ///< those of them that were ok and failed here
  std::vector<std::string> unmatched_baseline;
  std::vector<std::string> unmatched;
  std::vector<std::string> ambiguous;  ///< several cells are equal in the settings matched by
  std::vector<std::string> settings_only_in_baseline;
  std::vector<std::string> settings_only_here;
  std::vector<Difference> ignored;    ///< settings not matched by, with their values
  std::vector<Difference> constants;  ///< of one value there and another one here, and so no match
  std::vector<Difference> environment;  ///< facts that differ; none where a CSV was read
};

struct Comparison {
  ComparisonRule rule;
  std::string baseline_label;  ///< "A"
  std::string baseline_name;
  std::string baseline_simulation;
  std::string baseline_loader;
  std::vector<std::string> varying;  ///< settings that vary
  std::vector<ComparedCell> cells;   ///< the largest effect first; the limits after the others
  std::vector<ComparedRun> runs;

  /// Also where a cell was ok in the baseline and failed in a run.
  [[nodiscard]] bool has_regression() const;
  /// Whether any cell was measured in the baseline and in this run, or broke.
  [[nodiscard]] bool has_common_cells(std::size_t run) const;
};

/// Matches cells by the settings whose names both have; of watched trainings the loaders
/// (analysis/compare_watched.h). REQUIRES: at least one run; 0 <= threshold
/// < 1; 0 <= tolerance < 1; 0 < confidence < 1
[[nodiscard]] Comparison compare_runs(std::span<const NamedRun> runs, const ComparisonRule& rule);

}  // namespace feedrate
