// SPDX-License-Identifier: Apache-2.0
// The result of a tune, plain values, and how it compares two settings. Rates are samples per
// second. Pure functions; any thread.
#pragma once
#include <cstddef>
#include <optional>
#include <span>

#include "core/statistics.h"
#include "core/verdict.h"

namespace feedrate {

struct RatioVerdict {
  Verdict verdict = Verdict::kUndecided;
  double ratio = 1.0;           ///< A / B; geometric mean over the rounds
  Interval interval{0.0, 0.0};  ///< of the ratio
  std::size_t rounds = 0;       ///< with an undisturbed start of both
  std::size_t disturbed = 0;    ///< rounds left out
};

/// `differences`: of the log rates, one per round in which both were measured, which cancels
/// effects common to a round. Their deviation is pooled with that of starts, `noise`, known with
/// `freedom` degrees: s² = (2·noise²·freedom + Σ(d - mean)²) / (freedom + n - 1), and the interval
/// is mean ± t·s/√n. If the rounds scatter by more than five times that variance, as with a burst
/// during one start, only their own counts. UNDECIDED with fewer than two rounds, which have no
/// interval.
[[nodiscard]] RatioVerdict compare_rounds(std::span<const double> differences, double noise,
                                          double freedom, double confidence, double tolerance);

struct RateOf {
  std::size_t candidate = 0;
  double predicted = 0.0;  ///< by the model alone
  double expected = 0.0;   ///< geometric mean of its starts; without any, the belief
  /// Empty after one start; has the requested confidence.
  std::optional<Interval> interval = {};
  std::size_t starts = 0;  ///< 0: predicted only
};

struct Rival {
  RateOf rate;
  RatioVerdict recommended_to_it;
};

enum class Ending {
  kRunning,    ///< more starts are planned
  kConfident,  ///< the requested confidence and all verdicts are reached
  kGpuBound,   ///< the present settings lose at most 2 % against a loader that costs nothing
  kExhausted,  ///< more starts would add little information
  kOutOfTime,  ///< the next start does not fit into the budget
};

struct Decision {
  Ending ending = Ending::kRunning;
  RateOf recommended;
  std::optional<Rival> runner_up;
  /// The runner-up is probably faster, but needs a conversion of the dataset whose gain is not
  /// shown.
  bool runner_up_needs_conversion = false;
  std::optional<Rival> present;  ///< empty if it is the recommended one
  bool present_is_best = false;  ///< the recommended settings are the present ones
  double confidence = 0.0;       ///< reached
  double tolerance = 0.0;        ///< of `confidence`
  double loss = 0.0;             ///< upper bound against the best, at the requested confidence
  std::size_t considered = 0;    ///< candidates
  std::size_t measured = 0;
  double model_error = 0.0;      ///< median of |measured / predicted - 1|
  std::size_t model_errors = 0;  ///< number of errors in the median
  /// The number of the best candidates by prediction to measure after an error of more than 10 %.
  std::size_t fallback = 0;
  std::size_t fallback_measured = 0;    ///< those measured
  std::optional<double> trainer_limit;  ///< with the same copies as the recommended settings
  double first_batch_time = 0.0;        ///< predicted seconds of a new loader
};

/// Applies LOSE verdicts against the runner-up or the present settings, reached at the confidence
/// `asked`: caps the confidence at 1 - asked, and raises the loss to the bound of the verdict.
void apply_lost_verdicts(Decision& decision, double asked);

}  // namespace feedrate
