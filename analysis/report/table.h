// SPDX-License-Identifier: Apache-2.0
// Prints a run for people, above all its table: the question, the constants, one row per measured
// cell with the fastest first, then failed, skipped and pending cells, and all warnings. One
// thread.
#pragma once
#include <cstddef>
#include <iosfwd>
#include <vector>

#include "core/result.h"
#include "core/text_table.h"

namespace feedrate {

/// On a terminal of `width` columns the least important figures are left out, and named; 0:
/// unlimited. Constant settings are shown only if the run sets them.
void print_table(std::ostream& out, const RunResult& run, TableStyle style, std::size_t width = 0);

/// Sorts the cells by RunResult::sort, if set: rates and `au` descending, all else ascending,
/// numbers numerically. Cells without the value come last.
void sort_rows(const RunResult& run, std::vector<const CellResult*>& cells);

/// Prints the table, the effects, the answer and the ranks.
void print_results(std::ostream& out, const RunResult& run, TableStyle style,
                   std::size_t width = 0);

}  // namespace feedrate
