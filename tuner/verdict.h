// Is A faster than B? From starts of their loaders. Pure; any thread.
#pragma once
#include <span>

#include "core/statistics.h"
#include "core/verdict.h"

namespace feedrate {

struct RatioVerdict {
  Verdict verdict = Verdict::kUndecided;
  double ratio = 1.0;           ///< of the rates, A / B; geometric means
  Interval interval{0.0, 0.0};  ///< of the ratio
};

/// The interval of a difference of means of logarithms, with a deviation that is the same for both
/// and known with `freedom` degrees: d ± t·s·√(1/n + 1/m) (Snedecor and Cochran, Statistical
/// Methods, chapter 6). UNDECIDED where either has no start. `a` and `b` are logarithms of rates.
[[nodiscard]] RatioVerdict compare_starts(std::span<const double> a, std::span<const double> b,
                                          double deviation, double freedom, double confidence,
                                          double tolerance);

}  // namespace feedrate
