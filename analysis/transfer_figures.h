// SPDX-License-Identifier: Apache-2.0
// How far one measurement of some cells, A, tells what another one, B, says of the same cells:
// plain numbers. Pure functions; any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/noise.h"
#include "core/rank_statistics.h"
#include "core/statistics.h"

namespace feedrate {

/// A cell in one of the two.
struct TransferSide {
  double rate = 0.0;                     ///< samples_per_second
  double step_time = 0.0;                ///< not a number where it is not known
  double starts = 0.0;                   ///< of the loader, as starts_of()
  std::vector<double> start_rates;       ///< of each start, where they are known
  std::vector<double> start_step_times;  ///< as many
};

struct TransferPoint {
  TransferSide a;
  TransferSide b;
};

/// A figure and its 95 % interval, where there is one.
struct Estimate {
  double value = 0.0;
  std::optional<Interval> interval = std::nullopt;
};

struct TransferFigures {
  /// Of samples_per_second over all cells: Kendall's tau-b and Spearman's rho
  /// (core/rank_statistics.h).
  Estimate tau;
  Estimate rho;
  /// Kendall's tau-b over the pairs that B itself can tell apart: those whose slower cell loses
  /// more against the faster one, in B, than least_significant_loss() of B's noise. A's ties count
  /// against it, A's noise does not: a pair that B tells apart and A has the wrong way round is
  /// discordant however little A's two rates differ.
  Estimate distinguishable_tau;
  std::size_t pairs = 0;
  std::size_t distinguishable_pairs = 0;
  /// Those of them that A has the wrong way round, the faster in B first; B's largest loss first.
  std::vector<IndexPair> disagreements;

  /// What is lost in B by taking A's fastest cell: 1 - rate_B(best of A) / max rate_B.
  Estimate regret;
  /// The same for what A proposes (analysis/decision.h).
  Estimate proposal_regret;
  double significant_regret = 0.0;  ///< a proposal_regret up to this is noise in B
  std::size_t best_in_a = 0;        ///< places of the cells
  std::size_t proposed_by_a = 0;
  std::size_t best_in_b = 0;

  /// |step_time_A / step_time_B - 1| over the cells.
  Estimate median_error;
  Estimate largest_error;

  /// Cells that have fewer than two starts with known rates in A or in B. Where there is any, there
  /// are no intervals, since they would be too narrow.
  std::size_t cells_without_starts = 0;
};

struct Bootstrap {
  std::size_t resamples = 2000;
  std::uint64_t seed = 0;
};

/// `proposed_by_a` is a place among `points`. Intervals are percentile bootstraps: in each
/// resample the starts of every cell are drawn again with replacement, in A and in B, and all is
/// computed again from their means; the noise, and with it the distinguishable pairs and the
/// proposal, stay as measured. With few starts a cell the intervals are too narrow: by about
/// sqrt((n - 1) / n). B. Efron, "Bootstrap methods", Annals of Statistics 7 (1979), 1-26; Efron and
/// Tibshirani, An Introduction to the Bootstrap (1993), 13.3. REQUIRES: at least one point
[[nodiscard]] TransferFigures transfer_figures(const std::vector<TransferPoint>& points,
                                               std::size_t proposed_by_a, const Noise& noise_of_b,
                                               const Bootstrap& bootstrap = {});

}  // namespace feedrate
