// SPDX-License-Identifier: Apache-2.0
// Warnings of a result, in the order in which they are shown. Pure; any thread.
#pragma once
#include <string>
#include <vector>

namespace feedrate {

/// Sorts warnings: first those that concern what was measured, then foreign load, then too few
/// measurements, then all others in their order.
[[nodiscard]] std::vector<std::string> largest_first(std::vector<std::string> warnings);

}  // namespace feedrate
