// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/confidence.h"

#include <algorithm>
#include <cmath>

#include "core/statistics.h"

namespace feedrate {
namespace {

constexpr double kGuessWeight = 2.0;
constexpr double kModelGuess = 0.05;

double pooled(double guess, double squares, double freedom) {
  return std::sqrt((kGuessWeight * guess * guess + squares) / (kGuessWeight + freedom));
}

}  // namespace

RateDeviations estimate_deviations(std::span<const PredictionError> errors,
                                   std::span<const RateEvidence> evidence, double noise_guess) {
  double noise_squares = 0.0, noise_freedom = 0.0;
  for (const RateEvidence& one : evidence) {
    if (one.starts.size() < 2) continue;
    const double freedom = static_cast<double>(one.starts.size()) - 1.0;
    const double deviation = sample_stddev(one.starts);
    noise_squares += freedom * deviation * deviation;
    noise_freedom += freedom;
  }
  const double noise = pooled(noise_guess, noise_squares, noise_freedom);
  double model_squares = 0.0;
  for (const PredictionError& one : errors) {
    model_squares += one.error * one.error - noise * noise / static_cast<double>(one.starts);
  }
  const auto count = static_cast<double>(errors.size());
  return {pooled(kModelGuess, std::max(0.0, model_squares), count), noise, kGuessWeight + count,
          kGuessWeight + noise_freedom};
}

Confidence confidence_of(const RateBelief& belief, std::size_t candidates, std::size_t chosen,
                         const Claim& claim, std::uint64_t seed) {
  constexpr std::size_t kDraws = 1000;
  constexpr double kShare = 1.0 / kDraws;
  Confidence confidence{0.0, 0.0, std::vector<double>(candidates, 0.0)};
  const double slack = -std::log1p(-claim.tolerance);
  std::vector<double> losses;
  for (const std::vector<double>& rates : belief.draw(kDraws, seed)) {
    const auto best = std::max_element(rates.begin(), rates.end());
    losses.push_back(-std::expm1(rates[chosen] - *best));
    if (rates[chosen] + slack >= *best) {
      confidence.within += kShare;
    } else {
      confidence.threats[static_cast<std::size_t>(best - rates.begin())] += kShare;
    }
  }
  confidence.loss = percentile(losses, claim.confidence);
  return confidence;
}

}  // namespace feedrate
