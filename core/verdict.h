// What a measured ratio of two rates allows to be said: the words of compare and tune. Pure
// functions; any thread.
#pragma once
#include "core/statistics.h"

namespace feedrate {

enum class Verdict {
  kWin,        ///< faster: the interval of the ratio lies above 1
  kTie,        ///< it lies within the tolerance of 1
  kLose,       ///< it lies below 1
  kUndecided,  ///< it is too wide for any of these
};

/// "WIN", "TIE", "LOSE", "UNDECIDED".
[[nodiscard]] const char* to_string(Verdict verdict) noexcept;

/// Of the interval of log(a / b). Equal are ratios from 1 - tolerance to 1 / (1 - tolerance); what
/// is both a tie and a win, a small difference well known, is a tie (two one-sided tests: D. J.
/// Schuirmann, J. Pharmacokinet. Biopharm. 15 (1987), 657-680). So with intervals of 95 % at most
/// 5 % are WIN or LOSE where nothing differs, and at most 2.5 % are TIE where the truth is beyond
/// the tolerance; and a against b has the opposite verdict of b against a.
/// REQUIRES: 0 <= tolerance < 1
[[nodiscard]] Verdict verdict_on(const Interval& log_ratio, double tolerance);

}  // namespace feedrate
