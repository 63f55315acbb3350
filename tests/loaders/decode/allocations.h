// SPDX-License-Identifier: Apache-2.0
// Counts heap allocations and mutex locks of the calling thread.
#pragma once
#include <cstddef>

namespace feedrate {

/// Calls of operator new by this thread: the allocations of C++ code.
[[nodiscard]] std::size_t allocations() noexcept;

/// Calls of malloc, calloc and realloc by this thread: the allocations of all code. Zero under a
/// sanitizer, which replaces these functions; so are locks().
[[nodiscard]] std::size_t heap_calls() noexcept;

/// Mutexes locked by this thread, without those that a condition variable locks again.
[[nodiscard]] std::size_t locks() noexcept;

}  // namespace feedrate
