// SPDX-License-Identifier: Apache-2.0
// How far apart things must lie that different threads or processes write.
#pragma once
#include <cstddef>

namespace feedrate {

/// Cores take memory from each other in such pieces: what two of them write without need of each
/// other begins a piece of its own. (The standard's hardware_destructive_interference_size changes
/// with the compiler's options.)
inline constexpr std::size_t kCacheLine = 64;

}  // namespace feedrate
