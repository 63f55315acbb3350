// SPDX-License-Identifier: Apache-2.0
// Prints a run for people: the table, the effects, the answer, the ranks. One thread.
#pragma once
#include <cstddef>
#include <iosfwd>

#include "core/result.h"
#include "core/text_table.h"

namespace feedrate {

/// Drops the least important columns to fit a terminal of `width` columns; 0: unlimited.
void print_results(std::ostream& out, const RunResult& run, TableStyle style,
                   std::size_t width = 0);

}  // namespace feedrate
