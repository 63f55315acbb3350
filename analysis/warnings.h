// SPDX-License-Identifier: Apache-2.0
// Reasons to doubt a result, in the order in which they are shown. Pure; any thread.
#pragma once
#include <string>
#include <vector>

namespace feedrate {

/// The largest first: those that concern what was measured, then who else used the machine, then
/// how little was measured, then all others in their order.
[[nodiscard]] std::vector<std::string> largest_first(std::vector<std::string> warnings);

}  // namespace feedrate
