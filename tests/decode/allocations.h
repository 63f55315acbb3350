// Counts what this program takes by operator new.
#pragma once
#include <cstddef>

namespace feedrate {

/// Calls of operator new by this thread so far.
[[nodiscard]] std::size_t allocations() noexcept;

}  // namespace feedrate
