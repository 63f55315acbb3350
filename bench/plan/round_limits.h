// SPDX-License-Identifier: Apache-2.0
// How many rounds a decision needs, and how many it gets. A round measures every cell once.
#pragma once
#include <cstddef>

namespace feedrate {

/// Rounds below which nothing is said about ties: each cell's own scatter needs them.
inline constexpr std::size_t kLeastRounds = 3;
/// Rounds beyond which `repeats: auto` does not go.
inline constexpr std::size_t kMostRounds = 12;

}  // namespace feedrate
