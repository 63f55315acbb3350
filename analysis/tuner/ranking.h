// SPDX-License-Identifier: Apache-2.0
// Ranks the candidates by all measurements. Pure; any thread.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/tuner/candidate.h"
#include "analysis/tuner/confidence.h"
#include "analysis/tuner/predictions.h"
#include "core/result.h"

namespace feedrate {

struct TuneGoals {
  double confidence = 0.95;
  double tolerance = 0.02;
  Objective objective = Objective::kTime;
  std::optional<std::size_t> present;  ///< candidate with the user's settings
  std::uint64_t seed = 0;              ///< of the draws
  double noise = 0.03;                 ///< deviation of log rates assumed before any start
};

/// The confidence is tested after every start, and a lucky one ends the tune: only this part of the
/// stated risk may be left then.
inline constexpr double kRiskPerTest = 0.5;

/// The accepted loss against the best: the tolerance, and with kTimeMemory also the 5 % given up
/// for memory.
[[nodiscard]] double claimed_tolerance(const TuneGoals& goals);

struct Ranking {
  std::vector<RateEvidence> evidence;  ///< one per candidate
  RateDeviations deviations;
  /// The cheapest candidate with the same rate (equal rate_features), for each candidate.
  std::vector<std::size_t> representative;
  std::vector<double> means;    ///< log rates, by the belief
  std::vector<double> spreads;  ///< their deviations
  /// The present settings lose at most 2 % against the mock loader, shown by at least two starts.
  /// They are then the chosen ones.
  bool is_gpu_bound = false;
  std::size_t chosen = 0;
  /// The choice if conversion of the dataset were free: probably faster than `chosen`, but its gain
  /// is not shown.
  std::optional<std::size_t> conversion;
  /// The chosen settings lose at most 2 % against the mock loader, after at least one start.
  bool is_at_limit = false;
  /// `conversion`, else the fastest candidate with another rate, if any.
  std::optional<std::size_t> runner_up;
  Confidence confidence;  ///< that `chosen` is within claimed_tolerance()

  [[nodiscard]] std::size_t starts(std::size_t candidate) const {
    return evidence[candidate].starts.size();
  }
  /// Fastest first, one representative per rate, without failed ones.
  [[nodiscard]] std::vector<std::size_t> fastest_first() const;
};

/// Orders by cost_of() (analysis/best.h), then by the plan's order.
[[nodiscard]] bool is_cheaper(const Candidate& a, const Candidate& b);

[[nodiscard]] std::vector<double> log_rates(const CellResult& cell);

/// Null if no cell has these settings.
[[nodiscard]] const CellResult* find_cell(std::span<const CellResult> cells,
                                          const Settings& settings);

/// Empty if every candidate failed or has no prediction.
[[nodiscard]] std::optional<Ranking> rank_candidates(
    std::span<const Candidate> candidates, std::span<const CellResult> known,
    std::span<const std::optional<Prediction>> predictions, std::span<const PredictionError> errors,
    const TuneGoals& goals);

}  // namespace feedrate
