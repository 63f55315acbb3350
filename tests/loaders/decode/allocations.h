// SPDX-License-Identifier: Apache-2.0
// Counts what a thread of this program takes from the heap, and the mutexes that it locks.
#pragma once
#include <cstddef>

namespace feedrate {

/// Calls of operator new by this thread so far: what C++ takes.
[[nodiscard]] std::size_t allocations() noexcept;

/// Calls of malloc, calloc and realloc by this thread so far: what C++ and libraries in C take.
/// Zero under a sanitizer, which has these functions for itself; so are locks().
[[nodiscard]] std::size_t heap_calls() noexcept;

/// Mutexes locked by this thread so far. What a condition variable locks again is not counted.
[[nodiscard]] std::size_t locks() noexcept;

}  // namespace feedrate
