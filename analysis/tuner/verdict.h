// SPDX-License-Identifier: Apache-2.0
// Compares two settings by their loader starts. Pure; any thread.
#pragma once
#include <cstddef>
#include <span>

#include "core/statistics.h"
#include "core/verdict.h"

namespace feedrate {

struct RatioVerdict {
  Verdict verdict = Verdict::kUndecided;
  double ratio = 1.0;           ///< A / B; geometric mean over the rounds
  Interval interval{0.0, 0.0};  ///< of the ratio
  std::size_t rounds = 0;       ///< with an undisturbed start of both
  std::size_t disturbed = 0;    ///< rounds left out
};

/// `differences`: of the log rates, one per round in which both were measured, which cancels
/// effects common to a round. Their deviation is pooled with that of starts, `noise`, known with
/// `freedom` degrees: s² = (2·noise²·freedom + Σ(d - mean)²) / (freedom + n - 1), and the interval
/// is mean ± t·s/√n. If the rounds scatter by more than five times that variance, as with a burst
/// during one start, only their own counts. UNDECIDED with fewer than two rounds, which have no
/// interval.
[[nodiscard]] RatioVerdict compare_rounds(std::span<const double> differences, double noise,
                                          double freedom, double confidence, double tolerance);

}  // namespace feedrate
