// SPDX-License-Identifier: Apache-2.0
// Algebra of time intervals: what a timeline of kernels and copies says about a window. Pure
// functions; any thread.
#pragma once
#include <vector>

#include "core/units.h"

namespace feedrate {

/// Half-open: begin <= t < end. Empty where end <= begin.
struct TimeInterval {
  Nanos begin{};
  Nanos end{};
  friend bool operator==(const TimeInterval&, const TimeInterval&) = default;
};

/// The same set of times as disjoint intervals in order.
[[nodiscard]] std::vector<TimeInterval> merged(std::vector<TimeInterval> intervals);

/// Of two sets of times, each given as any intervals, the times in both; disjoint and in order.
[[nodiscard]] std::vector<TimeInterval> intersection(std::vector<TimeInterval> a,
                                                     std::vector<TimeInterval> b);

/// The times in `a` and not in `b`, each given as any intervals; disjoint and in order.
[[nodiscard]] std::vector<TimeInterval> subtraction(std::vector<TimeInterval> a,
                                                    std::vector<TimeInterval> b);

/// What lies within `window`; disjoint and in order.
[[nodiscard]] std::vector<TimeInterval> clipped(std::vector<TimeInterval> intervals,
                                                TimeInterval window);

/// The length of the union.
[[nodiscard]] Nanos total_length(std::vector<TimeInterval> intervals);

/// How much lies within `window`; looks at these intervals only, so that many windows are cheap.
/// REQUIRES: disjoint and in order
[[nodiscard]] Nanos length_within(const std::vector<TimeInterval>& disjoint, TimeInterval window);

}  // namespace feedrate
