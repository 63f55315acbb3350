// SPDX-License-Identifier: Apache-2.0
// How wide what a command prints may be. Any thread.
#pragma once
#include <cstddef>

namespace feedrate {

/// $COLUMNS, else the width of the terminal that stdout is; 0, any width, where it is none.
[[nodiscard]] std::size_t terminal_width();

}  // namespace feedrate
