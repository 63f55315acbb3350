// SPDX-License-Identifier: Apache-2.0
// How well measurement A of some cells predicts measurement B of the same cells. Pure functions;
// any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/noise.h"
#include "core/rank_statistics.h"
#include "core/statistics.h"

namespace feedrate {

struct TransferSide {
  double rate = 0.0;                     ///< samples_per_second
  double step_time = 0.0;                ///< NaN if unknown
  double starts = 0.0;                   ///< starts_of() the cell
  std::vector<double> start_rates;       ///< one per start, if known
  std::vector<double> start_step_times;  ///< as many as start_rates
};

struct TransferPoint {
  TransferSide a;
  TransferSide b;
};

/// With its 95 % interval, if any.
struct Estimate {
  double value = 0.0;
  std::optional<Interval> interval = std::nullopt;
};

struct TransferFigures {
  /// Kendall's tau-b and Spearman's rho of samples_per_second over all cells
  /// (core/rank_statistics.h).
  Estimate tau;
  Estimate rho;
  /// Kendall's tau-b over the pairs that B distinguishes: those whose slower cell loses more, in B,
  /// than least_significant_loss() of B's noise. A's ties count against it; A's noise is ignored: a
  /// distinguishable pair in the wrong order in A is discordant even if its rates in A differ
  /// little.
  Estimate distinguishable_tau;
  std::size_t pairs = 0;
  std::size_t distinguishable_pairs = 0;
  /// Distinguishable pairs that A orders wrongly, the faster cell in B first; sorted by the loss in
  /// B, largest first.
  std::vector<IndexPair> disagreements;

  /// The loss in B with A's fastest cell: 1 - rate_B(best of A) / max rate_B.
  Estimate regret;
  /// The loss in B with A's proposal (analysis/decision.h).
  Estimate proposal_regret;
  double significant_regret = 0.0;  ///< a proposal_regret up to this is noise in B
  std::size_t best_in_a = 0;        ///< indices of cells
  std::size_t proposed_by_a = 0;
  std::size_t best_in_b = 0;

  /// |step_time_A / step_time_B - 1| over the cells.
  Estimate median_error;
  Estimate largest_error;

  /// Cells with fewer than two recorded starts in A or in B. If there are any, there are no
  /// intervals, since they would be too narrow.
  std::size_t cells_without_starts = 0;
};

struct Bootstrap {
  std::size_t resamples = 2000;
  std::uint64_t seed = 0;
};

/// `proposed_by_a` is an index of `points`. Intervals are percentile bootstraps: each resample
/// draws the starts of every cell in A and B with replacement and computes all figures from their
/// means; the noise, the distinguishable pairs and the proposal stay as measured. With few starts
/// per cell the intervals are too narrow, by about sqrt((n - 1) / n). B. Efron, "Bootstrap
/// methods", Annals of Statistics 7 (1979), 1-26; Efron and Tibshirani, An Introduction to the
/// Bootstrap (1993), 13.3. REQUIRES: at least one point
[[nodiscard]] TransferFigures transfer_figures(const std::vector<TransferPoint>& points,
                                               std::size_t proposed_by_a, const Noise& noise_of_b,
                                               const Bootstrap& bootstrap = {});

}  // namespace feedrate
