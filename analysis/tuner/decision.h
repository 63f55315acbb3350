// SPDX-License-Identifier: Apache-2.0
// What a tune comes to: plain values. Rates are samples per second.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/tuner/verdict.h"
#include "core/statistics.h"

namespace feedrate {

/// Of one candidate.
struct RateOf {
  std::size_t candidate = 0;
  double predicted = 0.0;  ///< by the model alone
  double expected = 0.0;   ///< measured, the geometric mean of its starts; else as is believed
  /// Of the rate, at the confidence that was asked for; one start has none.
  std::optional<Interval> interval = {};
  std::size_t starts = 0;  ///< measured; 0: predicted only
};

/// Another setting beside the recommended one.
struct Rival {
  RateOf rate;
  RatioVerdict recommended_to_it;
};

enum class Ending {
  kRunning,    ///< there is more to measure
  kConfident,  ///< the confidence that was asked for is reached, and all verdicts are there
  kGpuBound,   ///< the present settings lose at most 2 % against a loader that costs nothing
  kExhausted,  ///< more starts would say little more
  kOutOfTime,  ///< what comes next does not fit into the budget
};

struct Decision {
  Ending ending = Ending::kRunning;
  RateOf recommended;
  std::optional<Rival> runner_up;
  /// The runner-up is believed to be faster, but needs a conversion of the dataset whose gain is
  /// not shown.
  bool runner_up_needs_conversion = false;
  std::optional<Rival> present;  ///< nothing where it is the recommended one itself
  bool present_is_best = false;  ///< the recommended settings are the present ones
  double confidence = 0.0;       ///< reached
  double tolerance = 0.0;        ///< that it speaks of
  double loss = 0.0;             ///< against the best, at most, at the confidence asked for
  std::size_t considered = 0;    ///< candidates
  std::size_t measured = 0;      ///< … that were measured themselves
  double model_error = 0.0;      ///< median of |measured / predicted - 1| of cells not yet measured
  std::size_t model_errors = 0;  ///< how many it is of
  /// The model was off by more than 10 %: number of the best by prediction to be measured.
  std::size_t fallback = 0;
  std::size_t fallback_measured = 0;    ///< … and were
  std::optional<double> trainer_limit;  ///< with the recommended settings' way of copying
  double first_batch_time = 0.0;        ///< seconds to a fresh loader's first batch, predicted
};

/// A verdict that the runner-up or the present settings are faster, at the confidence `asked`,
/// leaves the decision no more than the rest of it, and a loss of at least what the verdict says.
void heed_losses(Decision& decision, double asked);

}  // namespace feedrate
