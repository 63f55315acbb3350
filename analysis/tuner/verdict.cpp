// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/verdict.h"

#include <cmath>
#include <limits>

namespace feedrate {
namespace {

// F(1, 10) is above 5 in 5 % of cases.
constexpr double kTooMuch = 5.0;

}  // namespace

RatioVerdict compare_rounds(std::span<const double> differences, double noise, double freedom,
                            double confidence, double tolerance) {
  const std::size_t rounds = differences.size();
  if (rounds == 0) return {Verdict::kUndecided, 1.0, {0.0, INFINITY}, 0};
  const double center = mean(differences);
  if (rounds < 2) return {Verdict::kUndecided, std::exp(center), {0.0, INFINITY}, rounds};
  double squares = 0.0;
  for (const double one : differences) squares += (one - center) * (one - center);
  const double own_freedom = static_cast<double>(rounds) - 1.0;
  const double pooled = 2.0 * noise * noise;
  double all_freedom = own_freedom;
  if (squares / own_freedom <= kTooMuch * pooled) {
    squares += pooled * freedom;
    all_freedom += freedom;
  }
  const double half = student_t(confidence, all_freedom) *
                      std::sqrt(squares / all_freedom / static_cast<double>(rounds));
  const Interval logs{center - half, center + half};
  return {verdict_on(logs, tolerance),
          std::exp(center),
          {std::exp(logs.low), std::exp(logs.high)},
          rounds};
}

}  // namespace feedrate
