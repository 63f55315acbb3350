// SPDX-License-Identifier: Apache-2.0
// Limits of the number of rounds. A round measures every cell once.
#pragma once
#include <cstddef>

namespace feedrate {

/// Minimum for a tie: it needs an estimate of each cell's own scatter.
inline constexpr std::size_t kLeastRounds = 3;
/// Maximum of `repeats: auto`.
inline constexpr std::size_t kMostRounds = 12;

}  // namespace feedrate
