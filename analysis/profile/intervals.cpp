// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/intervals.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace feedrate {

std::vector<TimeInterval> merged(std::vector<TimeInterval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const TimeInterval& a, const TimeInterval& b) { return a.begin < b.begin; });
  std::vector<TimeInterval> disjoint;
  for (const TimeInterval& next : intervals) {
    if (next.end <= next.begin) continue;
    if (disjoint.empty() || disjoint.back().end < next.begin) {
      disjoint.push_back(next);
    } else {
      disjoint.back().end = std::max(disjoint.back().end, next.end);
    }
  }
  return disjoint;
}

std::vector<TimeInterval> intersection(std::vector<TimeInterval> a, std::vector<TimeInterval> b) {
  a = merged(std::move(a));
  b = merged(std::move(b));
  std::vector<TimeInterval> both;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const TimeInterval overlap{std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)};
    if (overlap.begin < overlap.end) both.push_back(overlap);
    a[i].end < b[j].end ? ++i : ++j;
  }
  return both;
}

std::vector<TimeInterval> subtraction(std::vector<TimeInterval> a, std::vector<TimeInterval> b) {
  a = merged(std::move(a));
  b = merged(std::move(b));
  std::vector<TimeInterval> left;
  std::size_t first = 0;
  for (TimeInterval rest : a) {
    while (first < b.size() && b[first].end <= rest.begin) ++first;
    for (std::size_t i = first; i < b.size() && b[i].begin < rest.end; ++i) {
      if (rest.begin < b[i].begin) left.push_back({rest.begin, b[i].begin});
      rest.begin = b[i].end;
    }
    if (rest.begin < rest.end) left.push_back(rest);
  }
  return left;
}

Nanos total_length(std::vector<TimeInterval> intervals) {
  Nanos total{};
  for (const TimeInterval& interval : merged(std::move(intervals))) {
    total += interval.length();
  }
  return total;
}

Nanos length_within(const std::vector<TimeInterval>& disjoint, TimeInterval window) {
  Nanos total{};
  if (window.end <= window.begin) return total;
  auto next = std::upper_bound(
      disjoint.begin(), disjoint.end(), window.begin,
      [](Nanos begin, const TimeInterval& interval) { return begin < interval.end; });
  for (; next != disjoint.end() && next->begin < window.end; ++next) {
    total += std::min(next->end, window.end) - std::max(next->begin, window.begin);
  }
  return total;
}

}  // namespace feedrate
