// SPDX-License-Identifier: Apache-2.0
// The result of a tune: plain values. Rates are samples per second.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/tuner/verdict.h"
#include "core/statistics.h"

namespace feedrate {

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
