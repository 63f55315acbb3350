// SPDX-License-Identifier: Apache-2.0
// Algebra of time intervals. Pure functions; any thread.
#pragma once
#include <vector>

#include "core/units.h"

namespace feedrate {

/// Half-open: begin <= t < end. Empty if end <= begin.
struct TimeInterval {
  Nanos begin{};
  Nanos end{};
  [[nodiscard]] constexpr Nanos length() const noexcept { return end - begin; }
  [[nodiscard]] constexpr bool overlaps(TimeInterval other) const noexcept {
    return begin < other.end && other.begin < end;
  }
  friend bool operator==(const TimeInterval&, const TimeInterval&) = default;
};

/// The same set of times as disjoint intervals in order.
[[nodiscard]] std::vector<TimeInterval> merged(std::vector<TimeInterval> intervals);

/// The times in both `a` and `b`, whose intervals may overlap; disjoint and in order.
[[nodiscard]] std::vector<TimeInterval> intersection(std::vector<TimeInterval> a,
                                                     std::vector<TimeInterval> b);

/// The times in `a` and not in `b`, whose intervals may overlap; disjoint and in order.
[[nodiscard]] std::vector<TimeInterval> subtraction(std::vector<TimeInterval> a,
                                                    std::vector<TimeInterval> b);

/// The length of the union.
[[nodiscard]] Nanos total_length(std::vector<TimeInterval> intervals);

/// The length within `window`; visits only the intervals in it, so that many windows are cheap.
/// REQUIRES: `disjoint` is disjoint and in order
[[nodiscard]] Nanos length_within(const std::vector<TimeInterval>& disjoint, TimeInterval window);

}  // namespace feedrate
