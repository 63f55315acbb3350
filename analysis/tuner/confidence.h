// SPDX-License-Identifier: Apache-2.0
// How sure it is that no setting beats the chosen one by more than the tolerance. Pure; any thread.
//
// The method: rates of all candidates are drawn from the belief (analysis/tuner/belief.h) many
// times; the confidence is the share of the draws in which the chosen one is within the tolerance
// of the best. The assumptions: the model's errors where nothing was measured are as large as they
// were where something was (each measured cell was predicted before it was measured), and alike for
// settings that are alike; starts of a loader are independent; nothing is faster than the mock
// loader.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "analysis/tuner/belief.h"

namespace feedrate {

/// Of a cell that was predicted before it was measured.
struct PredictionError {
  double error = 0.0;      ///< logarithm of measured / predicted
  std::size_t starts = 1;  ///< that the measured rate is the mean of
};

/// Noise from the starts. The model's from the errors, which hold the noise of their starts, too:
/// by the method of moments, E(error²) = model² + noise²/starts. Each figure is pooled with a guess
/// that weighs as much as two observations: 5 % of the model's, 3 % of noise.
[[nodiscard]] RateDeviations estimate_deviations(std::span<const PredictionError> errors,
                                                 std::span<const RateEvidence> evidence,
                                                 double noise_guess = 0.03);

struct Confidence {
  double within = 0.0;  ///< share of draws in which the chosen is within the tolerance
  double loss = 0.0;    ///< that the chosen one's rate has at most against the best, as asked for
  std::vector<double>
      threats;  ///< share in which this one is the best, and by more; one a candidate
};

struct Claim {
  double tolerance = 0.02;   ///< within 2 %; 0 to below 1
  double confidence = 0.95;  ///< that `loss` is to have; 0 to below 1
};

/// REQUIRES: chosen < candidates
[[nodiscard]] Confidence confidence_of(const RateBelief& belief, std::size_t candidates,
                                       std::size_t chosen, const Claim& claim, std::uint64_t seed);

}  // namespace feedrate
