// Is A faster than B? From starts of their loaders. Pure; any thread.
#pragma once
#include <span>

#include "core/statistics.h"

namespace feedrate {

enum class Verdict {
  kWin,        ///< faster: the interval of the ratio lies above 1
  kTie,        ///< it lies within the tolerance of 1
  kLose,       ///< it lies below 1
  kUndecided,  ///< it is too wide for any of these
};

[[nodiscard]] const char* to_string(Verdict verdict) noexcept;

struct RatioVerdict {
  Verdict verdict = Verdict::kUndecided;
  double ratio = 1.0;           ///< of the rates, A / B; geometric means
  Interval interval{0.0, 0.0};  ///< of the ratio
};

/// The interval of a difference of means of logarithms, with a deviation that is the same for both
/// and known with `freedom` degrees: d ± t·s·√(1/n + 1/m) (Snedecor and Cochran, Statistical
/// Methods, 6.6). What is both a tie and a win, a small difference well known, is a tie. UNDECIDED
/// where either has no start. `a` and `b` are logarithms of rates.
[[nodiscard]] RatioVerdict compare_starts(std::span<const double> a, std::span<const double> b,
                                          double deviation, double freedom, double confidence,
                                          double tolerance);

}  // namespace feedrate
