// SPDX-License-Identifier: Apache-2.0
// The distance between data that different threads or processes write.
#pragma once
#include <cstddef>

namespace feedrate {

/// Cores exchange memory in lines of this size; align data of different writers to it to avoid
/// false sharing. (The standard's hardware_destructive_interference_size changes with compiler
/// options.)
inline constexpr std::size_t kCacheLine = 64;

}  // namespace feedrate
