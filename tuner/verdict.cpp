#include "tuner/verdict.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace feedrate {

RatioVerdict compare_starts(std::span<const double> a, std::span<const double> b, double deviation,
                            double freedom, double confidence, double tolerance) {
  if (a.empty() || b.empty()) {
    return {Verdict::kUndecided, 1.0, {0.0, std::numeric_limits<double>::infinity()}};
  }
  const double difference = mean(a) - mean(b);
  const double half =
      student_t(confidence, std::max(1.0, freedom)) * deviation *
      std::sqrt(1.0 / static_cast<double>(a.size()) + 1.0 / static_cast<double>(b.size()));
  const Interval logs{difference - half, difference + half};
  return {
      verdict_on(logs, tolerance), std::exp(difference), {std::exp(logs.low), std::exp(logs.high)}};
}

}  // namespace feedrate
