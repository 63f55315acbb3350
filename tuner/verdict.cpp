#include "tuner/verdict.h"

#include <cmath>
#include <limits>

namespace feedrate {

RatioVerdict compare_rounds(std::span<const double> differences, double noise, double freedom,
                            double confidence, double tolerance) {
  const std::size_t rounds = differences.size();
  if (rounds == 0) return {Verdict::kUndecided, 1.0, {0.0, INFINITY}, 0};
  const double center = mean(differences);
  if (rounds < 2) return {Verdict::kUndecided, std::exp(center), {0.0, INFINITY}, rounds};
  double squares = 2.0 * noise * noise * freedom;
  for (const double one : differences) squares += (one - center) * (one - center);
  const auto count = static_cast<double>(rounds);
  const double all_freedom = freedom + count - 1.0;
  const double half = student_t(confidence, all_freedom) * std::sqrt(squares / all_freedom / count);
  const Interval logs{center - half, center + half};
  return {verdict_on(logs, tolerance),
          std::exp(center),
          {std::exp(logs.low), std::exp(logs.high)},
          rounds};
}

}  // namespace feedrate
