// SPDX-License-Identifier: Apache-2.0
// Combines the figures of loader starts. Pure functions; any thread.
#pragma once
#include <string_view>
#include <vector>

namespace feedrate {

/// The mean; the maximum of peaks (memory, _max), the sum of counts (steps, bytes read), the most
/// frequent slowest_rank. REQUIRES: `values` is not empty
[[nodiscard]] double across_starts(std::string_view tag, const std::vector<double>& values);

}  // namespace feedrate
