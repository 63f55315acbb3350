#include "tuner/verdict.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace feedrate {

const char* to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::kWin:
      return "WIN";
    case Verdict::kTie:
      return "TIE";
    case Verdict::kLose:
      return "LOSE";
    case Verdict::kUndecided:
      break;
  }
  return "UNDECIDED";
}

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
  const double slack = -std::log1p(-tolerance);
  RatioVerdict result{
      Verdict::kUndecided, std::exp(difference), {std::exp(logs.low), std::exp(logs.high)}};
  if (logs.low >= -slack && logs.high <= slack) {
    result.verdict = Verdict::kTie;
  } else if (logs.low > 0.0) {
    result.verdict = Verdict::kWin;
  } else if (logs.high < 0.0) {
    result.verdict = Verdict::kLose;
  }
  return result;
}

}  // namespace feedrate
