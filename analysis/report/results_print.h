// SPDX-License-Identifier: Apache-2.0
// All that a person reads of a run: the table, the effect of each setting, the answer, the ranks.
// One thread.
#pragma once
#include <cstddef>
#include <iosfwd>

#include "core/result.h"
#include "core/text_table.h"

namespace feedrate {

/// On a terminal of `width` columns the least important columns are left out; 0: all are shown.
void print_results(std::ostream& out, const RunResult& run, TableStyle style,
                   std::size_t width = 0);

}  // namespace feedrate
