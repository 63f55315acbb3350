// SPDX-License-Identifier: Apache-2.0
// What a measured ratio of two rates allows to be said: the words of compare and tune. Pure
// functions; any thread.
#pragma once
#include "core/statistics.h"

namespace feedrate {

enum class Verdict {
  kWin,        ///< faster: the interval of the ratio lies above the tolerance of 1
  kTie,        ///< it lies within the tolerance
  kLose,       ///< it lies below
  kUndecided,  ///< it lies across
};

/// "WIN", "TIE", "LOSE", "UNDECIDED".
[[nodiscard]] const char* to_string(Verdict verdict) noexcept;

/// How far from 0 the log of a ratio may lie that is within the tolerance of 1.
/// REQUIRES: 0 <= tolerance < 1
[[nodiscard]] double log_slack(double tolerance);

/// Of the interval of log(a / b). Equal are ratios from 1 - tolerance to 1 / (1 - tolerance). TIE
/// is shown (two one-sided tests: D. J. Schuirmann, J. Pharmacokinet. Biopharm. 15 (1987),
/// 657-680), and so is a difference beyond the tolerance: what a machine does from one run to the
/// next is mostly within it. With intervals of 95 % at most 5 % are WIN or LOSE where the truth is
/// within the tolerance, at most 2.5 % are TIE where it is beyond; and a against b has the opposite
/// verdict of b against a.
/// REQUIRES: 0 <= tolerance < 1
[[nodiscard]] Verdict verdict_on(const Interval& log_ratio, double tolerance);

}  // namespace feedrate
