// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/decision.h"

#include <algorithm>
#include <cmath>

namespace feedrate {

RatioVerdict compare_rounds(std::span<const double> differences, double noise, double freedom,
                            double confidence, double tolerance) {
  const std::size_t rounds = differences.size();
  if (rounds == 0) return {Verdict::kUndecided, 1.0, {0.0, INFINITY}, 0};
  const double center = mean(differences);
  if (rounds < 2) return {Verdict::kUndecided, std::exp(center), {0.0, INFINITY}, rounds};
  constexpr double kTooMuch = 5.0;  // F(1, 10) is above 5 in 5 % of cases.
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

void apply_lost_verdicts(Decision& decision, double asked) {
  for (const auto* rival : {&decision.runner_up, &decision.present}) {
    if (!*rival || (*rival)->recommended_to_it.verdict != Verdict::kLose) continue;
    decision.confidence = std::min(decision.confidence, 1.0 - asked);
    decision.loss = std::max(decision.loss, 1.0 - (*rival)->recommended_to_it.interval.low);
  }
}

}  // namespace feedrate
