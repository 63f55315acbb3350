// SPDX-License-Identifier: Apache-2.0
// Is A faster than B? From starts of their loaders. Pure; any thread.
#pragma once
#include <cstddef>
#include <span>

#include "core/statistics.h"
#include "core/verdict.h"

namespace feedrate {

struct RatioVerdict {
  Verdict verdict = Verdict::kUndecided;
  double ratio = 1.0;           ///< of the rates, A / B; geometric mean over the rounds
  Interval interval{0.0, 0.0};  ///< of the ratio
  std::size_t rounds = 0;       ///< in which both were measured, and nothing disturbed
  std::size_t disturbed = 0;    ///< rounds left out: other programs took too much
};

/// From the differences of the logarithms of both rates, one a round in which both were measured:
/// what the machine did in a round meets both and drops out. Their deviation is pooled with that of
/// starts, `noise`, known with `freedom` degrees: s² = (2·noise²·freedom + Σ(d - mean)²) / (freedom
/// + n - 1), and the interval is mean ± t·s/√n. Where the rounds scatter by more than five times
/// that variance, as when a burst met one start, theirs alone counts. UNDECIDED with fewer than two
/// rounds: one start of each has no interval.
[[nodiscard]] RatioVerdict compare_rounds(std::span<const double> differences, double noise,
                                          double freedom, double confidence, double tolerance);

}  // namespace feedrate
