// SPDX-License-Identifier: Apache-2.0
// feedrate proposes settings by one rule. Pure functions of a result, which must outlive what they
// return; any thread.
//
// The cheapest of the cells that are shown to be within the tolerance of the best is proposed. If
// none is shown, the settings in use are proposed if they measured within the tolerance of the
// fastest cell, else the fastest cell. A dataset is converted only for a shown gain: cells with a
// converted dataset are not proposed while a cell with the unconverted one is shown to be within
// the tolerance of the best, or is not shown to be slower. analysis/reference.h defines the
// settings in use.
//
// Cells are compared within rounds: a round measures every cell once, which cancels effects common
// to all cells (core/block_fit.h). Hsu's multiple comparisons with the unknown best
// (core/comparisons_with_best.h) hold at 95 % together; half of the error is kept for decisions
// before the last round, as with `repeats: auto` and --resume.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/rate_ratio.h"
#include "bench/plan/round_limits.h"
#include "core/result.h"

namespace feedrate {

/// A cell with its rate relative to others under the same conditions.
struct RankedCell {
  const CellResult* cell = nullptr;
  double against_fastest = 1.0;  ///< its rate / the fastest's, within rounds
  /// Bounds of the loss against the unknown best, as a share of its rate; at most 1: unknown.
  double least_loss = 0.0;
  double most_loss = 1.0;
};

/// The best cell that trains on other samples or batches, or that has the dataset in another form,
/// compared with the proposed cell.
struct OtherCell {
  const CellResult* cell = nullptr;
  RateRatio against_proposed = {};
};

enum class Grounds {
  kShown,    ///< shown to be within the tolerance of the best, and the cheapest of these
  kInUse,    ///< the settings in use; none is shown to be faster
  kFastest,  ///< measured fastest of the cells that may be proposed
};

struct Proposal {
  std::vector<std::string> conditions;  ///< names of conditions that vary among answers
  std::vector<RankedCell> cells;        ///< candidates; fastest first, never empty
  /// Measured under these conditions, but no candidates: PyTorch lacks a setting, or they train on
  /// other samples or batches. Their losses are unknown.
  std::vector<RankedCell> others = {};
  const CellResult* proposed = nullptr;
  Grounds grounds = Grounds::kFastest;
  bool needs_conversion = false;
  /// If the proposed cell needs a conversion, the best cell without one; else the best cell that
  /// needs one, if it measured faster.
  std::optional<OtherCell> other_form = {};
  std::vector<OtherCell> other_trainings = {};  ///< the best of each, in the plan's order
  std::size_t rounds = 0;                       ///< of the fastest cell
  double resolution = 1.0;  ///< the least distinguishable relative difference; 1: none
  /// The additional rounds after which differences of 2 %, else of 5 %, are distinguishable, but at
  /// most twice the measured rounds; 0 if unknown. resolution_then is the resolution after them.
  std::size_t more_rounds = 0;
  double resolution_then = 1.0;
  /// Even kMostRounds would not distinguish the cells, by the largest of 5 %, the tolerance and
  /// their difference. False until there are more than kLeastRounds, before which the noise is
  /// hardly known.
  bool is_out_of_reach = false;

  [[nodiscard]] bool is_shown() const { return grounds == Grounds::kShown; }
  [[nodiscard]] const CellResult& fastest() const { return *cells.front().cell; }
  /// The largest against_fastest of all cells, others included; at least 1.
  [[nodiscard]] double most_against_fastest() const;
};

/// Returns one proposal per value of the measured conditions (analysis/conditions.h). Of settings
/// that change the training, the reference values are candidates and the others are compared with
/// them. Limits (analysis/best.h) are left out unless there is nothing else. Empty if nothing was
/// measured.
[[nodiscard]] std::vector<Proposal> decide(const RunResult& run);

/// Decides among measured cells as if their conditions were equal. REQUIRES: not empty
[[nodiscard]] Proposal decide_among(std::vector<const CellResult*> cells, double tolerance);

/// Indices of the cells that need another round: those not shown to lose more than the tolerance,
/// of proposals that are neither shown nor out of reach.
[[nodiscard]] std::vector<std::size_t> contenders(const RunResult& run);

}  // namespace feedrate
