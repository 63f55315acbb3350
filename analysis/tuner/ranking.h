// SPDX-License-Identifier: Apache-2.0
// Where the candidates stand, from all that was measured so far. Pure; any thread.
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

struct Aims {
  double confidence = 0.95;
  double tolerance = 0.02;
  Objective objective = Objective::kTime;
  std::optional<std::size_t> present;  ///< of the candidates: the user's settings
  std::uint64_t seed = 0;              ///< of the draws
  double noise = 0.03;                 ///< of logarithms, as is believed before any start
  bool is_thrifty = false;             ///< starts are dear: see analysis/tuner/tuner.h
};

/// It is looked at after every start, and a tune ends at a lucky one: so the risk that may be left
/// is this part of the one that is stated.
inline constexpr double kForLooking = 0.5;

/// How much less than the best the recommended settings may be in all: the tolerance, and with
/// kTimeMemory the 5 % that are given for memory.
[[nodiscard]] double claimed_tolerance(const Aims& aims);

struct Ranking {
  std::vector<RateEvidence> evidence;  ///< one a candidate
  RateDeviations deviations;
  /// For each candidate the cheapest of those that have the same rate (equal rate_features).
  std::vector<std::size_t> representative;
  std::vector<double> means;    ///< of the belief: logarithms of rates
  std::vector<double> spreads;  ///< its deviations
  /// The present settings lose at most 2 % against a loader that costs nothing, as two starts and
  /// more show: then they are the chosen ones.
  bool is_gpu_bound = false;
  std::size_t chosen = 0;
  /// What would be chosen if the dataset had that form: it is believed to be faster than `chosen`,
  /// by less than its starts show.
  std::optional<std::size_t> conversion;
  /// They lose at most 2 % against a loader that costs nothing, as any start shows.
  bool is_at_limit = false;
  /// `conversion`, else the fastest whose rate is another one; nothing where there is none.
  std::optional<std::size_t> runner_up;
  Confidence confidence;  ///< that the chosen one is within claimed_tolerance()

  [[nodiscard]] std::size_t starts(std::size_t candidate) const {
    return evidence[candidate].starts.size();
  }
  /// The fastest first, of those whose rate is the same only the cheapest; none that failed.
  [[nodiscard]] std::vector<std::size_t> fastest_first() const;
};

/// A lower cost_of its settings, as a sweep has it (analysis/best.h); else earlier in the plan.
[[nodiscard]] bool is_cheaper(const Candidate& a, const Candidate& b);

/// Logarithms of samples_per_second of the starts.
[[nodiscard]] std::vector<double> log_rates(const CellResult& cell);

/// Null where no cell has these settings.
[[nodiscard]] const CellResult* find_cell(std::span<const CellResult> cells,
                                          const Settings& settings);

/// Nothing where no candidate that did not fail is predicted. `errors`: logarithms of measured /
/// predicted, of cells that were predicted before they were measured.
[[nodiscard]] std::optional<Ranking> rank_candidates(
    std::span<const Candidate> candidates, std::span<const CellResult> known,
    std::span<const std::optional<Prediction>> predictions, std::span<const PredictionError> errors,
    const Aims& aims);

}  // namespace feedrate
