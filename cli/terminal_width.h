// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace feedrate {

/// $COLUMNS, else the width of the terminal at stdout; 0, which means any width, without one. Any
/// thread.
[[nodiscard]] std::size_t terminal_width();

}  // namespace feedrate
