// SPDX-License-Identifier: Apache-2.0
// The one rule by which feedrate proposes settings: of the cells that are shown to be within the
// tolerance of the best, the cheapest; where none is shown to be, the fastest, and how little this
// run can tell. Pure functions of a result, which must outlive what they return; any thread.
//
// Cells are compared within rounds: a round measures every cell once, and what moves all of them is
// no difference between settings (core/block_fit.h). The unknown best is met by Hsu's multiple
// comparisons (core/comparisons_with_best.h), all at 95 % together; half of the error is kept for
// looking before the last round, as `repeats: auto` and --resume do.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/result.h"
#include "plan/round_limits.h"

namespace feedrate {

/// A cell that may be chosen, beside the others under the same conditions.
struct RankedCell {
  const CellResult* cell = nullptr;
  double against_fastest = 1.0;  ///< its rate / the fastest's, within rounds
  double least_loss = 0.0;       ///< against the unknown best, as a share of the best's rate
  double most_loss = 1.0;        ///< the same, at most; 1: nothing is known
};

/// What to choose under one set of conditions.
struct Proposal {
  std::vector<std::string> conditions;  ///< names of those that tell the answers apart
  std::vector<RankedCell> cells;        ///< fastest first, never empty
  const CellResult* proposed = nullptr;
  bool is_shown = false;      ///< the proposed is shown to be within the tolerance of the best
  std::size_t rounds = 0;     ///< of the fastest
  double resolution = 1.0;    ///< relative differences below are not told; 1: none is
  std::size_t to_tell_5 = 0;  ///< rounds more that would tell 5 %, and …
  std::size_t to_tell_2 = 0;  ///< … 2 %; 0 where this cannot be said
  /// kMostRounds would not tell cells apart, either: not by 5 %, nor by the tolerance or what they
  /// differ by, where that is more. Not said of kLeastRounds, after which noise is hardly known.
  bool is_out_of_reach = false;

  [[nodiscard]] const CellResult& fastest() const { return *cells.front().cell; }
};

/// One for each value of the conditions that the run has measured (analysis/conditions.h), by the
/// fastest rate. Limits (analysis/best.h) and what PyTorch has no setting for
/// (analysis/dataloader_arguments.h) are left out where there is anything else. Empty where nothing
/// was measured.
[[nodiscard]] std::vector<Proposal> decide(const RunResult& run);

/// The same of measured cells whose conditions are alike, whatever they are. REQUIRES: not empty
[[nodiscard]] Proposal decide_among(std::vector<const CellResult*> cells, double tolerance);

/// Cells that another round could tell more of: of answers that are not shown yet, nor out of
/// reach, those that are not shown to lose more than the tolerance. Indices of cells.
[[nodiscard]] std::vector<std::size_t> contenders(const RunResult& run);

}  // namespace feedrate
