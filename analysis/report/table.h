// SPDX-License-Identifier: Apache-2.0
// Prints the table of a run: the question, the constants, one row per measured cell with the
// fastest first, then failed, skipped and pending cells, and all warnings. One thread.
#pragma once
#include <iosfwd>

#include "core/result.h"
#include "core/text_table.h"

namespace feedrate {

/// On a terminal of `width` columns the least important figures are left out, and named; 0:
/// unlimited. Constant settings are shown only if the run sets them.
void print_table(std::ostream& out, const RunResult& run, TableStyle style, std::size_t width = 0);

}  // namespace feedrate
