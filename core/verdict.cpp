// SPDX-License-Identifier: Apache-2.0
#include "core/verdict.h"

#include <cmath>

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

double log_slack(double tolerance) { return -std::log1p(-tolerance); }

Verdict verdict_on(const Interval& log_ratio, double tolerance) {
  const double slack = log_slack(tolerance);
  if (log_ratio.low >= -slack && log_ratio.high <= slack) return Verdict::kTie;
  if (log_ratio.low > slack) return Verdict::kWin;
  if (log_ratio.high < -slack) return Verdict::kLose;
  return Verdict::kUndecided;
}

}  // namespace feedrate
