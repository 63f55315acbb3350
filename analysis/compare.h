// SPDX-License-Identifier: Apache-2.0
// Compares results cell by cell with the first one, the baseline. Any thread.
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
  /// Settings that cells are not matched by, besides those that tell how a run was measured
  /// (engine, device, emulate), which are ignored if each result has one value of its own.
  std::vector<std::string> ignored = {};
};

/// A result and its path. The result must outlive the call that takes it.
struct NamedRun {
  std::string name;
  const RunResult* result;
};

struct AgainstBaseline {
  double rate = 0.0;
  double ratio = 0.0;  ///< samples_per_second: run / baseline
  /// exp of the interval of the log ratio (core/uncertain.h); empty if one has no error
  /// (uncertain_rate).
  std::optional<Interval> ratio_interval;
  Verdict verdict = Verdict::kUndecided;  ///< the run against the baseline
  std::string disturbed;  ///< "B", "A and B": disturbed (analysis/foreign_load.h), no verdict
  /// The probability of a ratio as low as this if the cell is slower by no more than the tolerance;
  /// known if the interval is.
  std::optional<double> p_slower;
  bool is_regression = false;  ///< set by mark_regressions()
  std::optional<double> loading_time_ratio;
};

struct ComparedCell {
  std::string name;                   ///< the settings that vary
  bool is_limit = false;              ///< a limit, in a baseline that has other cells
  std::vector<std::string> settings;  ///< texts of Comparison::varying
  double baseline_rate = 0.0;
  std::vector<std::optional<AgainstBaseline>> against;  ///< one per run
};

/// A comparison of a run with the baseline. In a Difference, `a` is the baseline.
struct ComparedRun {
  std::string label;  ///< "B"
  std::string name;
  std::string simulation;                       ///< empty if measured on a real device
  std::string loader;                           ///< whose rates they are (analysis/whose_loader.h)
  std::optional<double> mean_ratio;             ///< geometric, over all cells but the limits
  std::optional<Interval> mean_ratio_interval;  ///< as if cells were independent
  /// The error that all cells of a run share, since a machine is not equally fast in two runs; a
  /// part of all intervals. A standard error of the log ratio.
  double between_runs = 0.0;
  std::vector<std::string> cautions;     ///< why the comparison may be unfair
  std::vector<Difference> not_compared;  ///< in both, measured in one only: the outcomes
  std::vector<std::string> broken;       ///< ok in the baseline, failed here
  std::vector<std::string> unmatched_baseline;
  std::vector<std::string> unmatched;
  std::vector<std::string> ambiguous;  ///< several cells are equal in the settings matched by
  std::vector<std::string> settings_only_in_baseline;
  std::vector<std::string> settings_only_here;
  std::vector<Difference> ignored;      ///< settings not matched by
  std::vector<Difference> constants;    ///< settings with one value in each run, which differ
  std::vector<Difference> environment;  ///< facts that differ; none for a CSV
};

struct Comparison {
  ComparisonRule rule;
  std::string baseline_label;  ///< "A"
  std::string baseline_name;
  std::string baseline_simulation;
  std::string baseline_loader;
  std::vector<std::string> varying;
  std::vector<ComparedCell> cells;  ///< the largest effect first; the limits after the others
  std::vector<ComparedRun> runs;

  /// Also true if a cell failed that was ok in the baseline.
  [[nodiscard]] bool has_regression() const;
  /// Whether a cell was measured in the baseline and in this run, or failed only in this run.
  [[nodiscard]] bool has_common_cells(std::size_t run) const;
};

/// Matches cells by the settings that both have; watched trainings by their loaders
/// (analysis/compare_watched.h). REQUIRES: at least one run; 0 <= threshold < 1; 0 <= tolerance <
/// 1; 0 < confidence < 1
[[nodiscard]] Comparison compare_runs(std::span<const NamedRun> runs, const ComparisonRule& rule);

/// Marks the compared cells that are slower beyond chance: sets is_regression if the verdict is
/// LOSE, the ratio is below 1 - threshold, and p_slower is rejected by the false discovery rate at
/// (1 - confidence) / 2 over all undisturbed cells of all runs; with one cell, this test agrees
/// with the verdict. Two equal results have a regression in at most 2.5 % of comparisons, for any
/// number of cells. A cell without an interval, of one start, is no regression.
void mark_regressions(std::span<ComparedCell> cells, const ComparisonRule& rule);

}  // namespace feedrate
