// SPDX-License-Identifier: Apache-2.0
// The confidence that no setting beats the chosen one by more than the tolerance. Pure; any thread.
//
// Method: rates of all candidates are drawn from the belief (analysis/tuner/belief.h) many times;
// the confidence is the share of draws in which the chosen one is within the tolerance of the best.
// Assumptions: the model's errors for unmeasured cells are as large as for measured ones (each was
// predicted before it was measured), and similar for similar settings; starts of a loader are
// independent; nothing is faster than the mock loader.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "analysis/tuner/belief.h"

namespace feedrate {

/// The error of a prediction made before measuring.
struct PredictionError {
  double error = 0.0;      ///< log(measured / predicted)
  std::size_t starts = 1;  ///< starts behind the measured rate
};

/// Estimates noise from the starts, and the model's deviation from the errors, which include the
/// noise of their starts, by the method of moments: E(error²) = model² + noise²/starts. Each is
/// pooled with a guess that weighs as much as two observations: 5 % for the model, 3 % for noise.
[[nodiscard]] RateDeviations estimate_deviations(std::span<const PredictionError> errors,
                                                 std::span<const RateEvidence> evidence,
                                                 double noise_guess = 0.03);

struct Confidence {
  double within = 0.0;  ///< share of draws with the chosen one within the tolerance
  double loss = 0.0;    ///< upper bound of the loss against the best, at Claim::confidence
  /// Per candidate: the share of draws in which it is the best by more than the tolerance.
  std::vector<double> threats;
};

struct Claim {
  double tolerance = 0.02;   ///< 0 to below 1
  double confidence = 0.95;  ///< of `loss`; 0 to below 1
};

/// REQUIRES: chosen < candidates
[[nodiscard]] Confidence confidence_of(const RateBelief& belief, std::size_t candidates,
                                       std::size_t chosen, const Claim& claim, std::uint64_t seed);

}  // namespace feedrate
