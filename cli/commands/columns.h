// SPDX-License-Identifier: Apache-2.0
// feedrate columns: what each column of a result means.
#pragma once
#include "core/host/console.h"

namespace feedrate {

/// The column dictionary as Markdown: the text of docs/columns.md.
[[nodiscard]] int run_columns(Console& console);

}  // namespace feedrate
