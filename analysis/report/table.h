// SPDX-License-Identifier: Apache-2.0
// The table a person reads: the question, what is constant, one row a measured cell with the
// fastest first, then what failed, what was skipped, what was not run, and every doubt. One thread.
#pragma once
#include <iosfwd>

#include "core/result.h"
#include "core/text_table.h"

namespace feedrate {

/// On a terminal of `width` columns the least important figures are left out, and named; 0: all are
/// shown. Of the settings that are the same in all cells only those that the run names are shown.
void print_table(std::ostream& out, const RunResult& run, TableStyle style, std::size_t width = 0);

}  // namespace feedrate
