// SPDX-License-Identifier: Apache-2.0
// The verdict of compare and tune on a measured ratio of two rates. Pure functions; any thread.
#pragma once
#include "core/statistics.h"

namespace feedrate {

enum class Verdict {
  kWin,        ///< faster: the interval of the ratio is above the tolerance
  kTie,        ///< the interval is within the tolerance
  kLose,       ///< the interval is below it
  kUndecided,  ///< the interval crosses a bound
};

/// "WIN", "TIE", "LOSE", "UNDECIDED".
[[nodiscard]] const char* to_string(Verdict verdict) noexcept;

/// The largest absolute log of a ratio within the tolerance of 1.
/// REQUIRES: 0 <= tolerance < 1
[[nodiscard]] double log_slack(double tolerance);

/// Judges the interval of log(a / b). Ratios from 1 - tolerance to 1 / (1 - tolerance) count as
/// equal. TIE is shown (two one-sided tests: D. J. Schuirmann, J. Pharmacokinet. Biopharm. 15
/// (1987), 657-680), and so is a difference beyond the tolerance: changes of a machine between two
/// runs are mostly within it. With intervals of 95 %, at most 5 % are WIN or LOSE if the truth is
/// within the tolerance, and at most 2.5 % are TIE if it is beyond. The verdict of a against b is
/// the opposite of b against a.
/// REQUIRES: 0 <= tolerance < 1
[[nodiscard]] Verdict verdict_on(const Interval& log_ratio, double tolerance);

}  // namespace feedrate
