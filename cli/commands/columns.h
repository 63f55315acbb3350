// SPDX-License-Identifier: Apache-2.0
// feedrate columns: prints the meaning of each column of a result.
#pragma once
#include "core/host/console.h"

namespace feedrate {

/// Prints the column dictionary as Markdown: the text of docs/columns.md.
[[nodiscard]] int run_columns(Console& console);

}  // namespace feedrate
