// SPDX-License-Identifier: Apache-2.0
// How a figure of several starts of the loader comes from those of each. Pure functions; any
// thread.
#pragma once
#include <string_view>
#include <vector>

namespace feedrate {

/// The mean of each metric; peaks (memory, _max) are the largest, counts (steps) and what was read
/// sums, slowest_rank the most frequent. REQUIRES: `values` is not empty
[[nodiscard]] double across_starts(std::string_view tag, const std::vector<double>& values);

}  // namespace feedrate
