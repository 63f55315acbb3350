// SPDX-License-Identifier: Apache-2.0
// The one rule by which feedrate proposes settings. Pure functions of a result, which must outlive
// what they return; any thread.
//
// The cheapest of the cells that are shown to be within the tolerance of the best is proposed.
// Where none is shown to be, ties go to what is there: to the settings in use, if they were
// measured within the tolerance of the fastest cell, else to the fastest cell. A dataset is
// converted only for a shown gain: while a cell with the dataset as it is is shown to be within the
// tolerance of the best, or is not shown to be slower, cells that need another one are not
// proposed. What is in use or there is told by analysis/reference.h.
//
// Cells are compared within rounds: a round measures every cell once, and what changes all of them
// is no difference between settings (core/block_fit.h). The unknown best is met by Hsu's multiple
// comparisons (core/comparisons_with_best.h), all at 95 % together; half of the error is kept for
// looking before the last round, as `repeats: auto` and --resume do.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/rate_ratio.h"
#include "bench/plan/round_limits.h"
#include "core/result.h"

namespace feedrate {

/// A cell that may be chosen, beside the others under the same conditions.
struct RankedCell {
  const CellResult* cell = nullptr;
  double against_fastest = 1.0;  ///< its rate / the fastest's, within rounds
  double least_loss = 0.0;       ///< against the unknown best, as a share of the best's rate
  double most_loss = 1.0;        ///< the same, at most; 1: nothing is known
};

/// A cell beside the proposed one: the best of those that train on other samples or batches, or
/// that have the dataset in another form.
struct BesideCell {
  const CellResult* cell = nullptr;
  RateRatio against_proposed = {};
};

enum class Grounds {
  kShown,    ///< shown to be within the tolerance of the best, and the cheapest of these
  kInUse,    ///< the settings in use; none is shown to be faster
  kFastest,  ///< measured fastest of the cells that may be proposed
};

/// What to choose under one set of conditions.
struct Proposal {
  std::vector<std::string> conditions;  ///< names of those that tell the answers apart
  std::vector<RankedCell> cells;        ///< may be chosen; fastest first, never empty
  /// Measured under these conditions, but not to choose: PyTorch has no such setting, or they train
  /// on other samples or batches. Their losses are unknown.
  std::vector<RankedCell> beside = {};
  const CellResult* proposed = nullptr;
  Grounds grounds = Grounds::kFastest;
  /// The proposed cell needs a conversion of the dataset.
  bool needs_conversion = false;
  /// The best cell with the dataset in the other form: of the present form where the proposed cell
  /// needs a conversion; else of another form, where that was measured faster.
  std::optional<BesideCell> other_form = {};
  std::vector<BesideCell> other_trainings = {};  ///< the best of each, as the plan has them
  std::size_t rounds = 0;                        ///< of the fastest
  double resolution = 1.0;  ///< relative differences below are not distinguishable; 1: none is
  /// More rounds, at most twice as many as were measured, that would resolve 2 % or 5 %, or what
  /// so many resolve; 0 where this cannot be said.
  std::size_t more_rounds = 0;
  double resolution_then = 1.0;
  /// kMostRounds would not tell cells apart, either: not by 5 %, nor by the tolerance or what they
  /// differ by, where that is more. Not said of kLeastRounds, after which noise is hardly known.
  bool is_out_of_reach = false;

  [[nodiscard]] bool is_shown() const { return grounds == Grounds::kShown; }
  [[nodiscard]] const CellResult& fastest() const { return *cells.front().cell; }
  /// The largest against_fastest of all cells, those beside among them; at least 1.
  [[nodiscard]] double most_against_fastest() const;
};

/// One for each value of the conditions that the run has measured (analysis/conditions.h), but for
/// those that change the training: of these the reference values are answered, and the others are
/// compared. Limits (analysis/best.h) are left out where there is anything else. Empty where
/// nothing was measured.
[[nodiscard]] std::vector<Proposal> decide(const RunResult& run);

/// The same of measured cells whose conditions are alike, whatever they are. REQUIRES: not empty
[[nodiscard]] Proposal decide_among(std::vector<const CellResult*> cells, double tolerance);

/// Cells that another round could tell more of: of answers that are not shown yet, nor out of
/// reach, those that are not shown to lose more than the tolerance. Indices of cells.
[[nodiscard]] std::vector<std::size_t> contenders(const RunResult& run);

}  // namespace feedrate
