// SPDX-License-Identifier: Apache-2.0
// Sorts table rows as the user asked. A pure function; any thread.
#pragma once
#include <vector>

#include "core/result.h"

namespace feedrate {

/// Sorts the cells by RunResult::sort, if set: rates and `au` descending, all else ascending,
/// numbers numerically. Cells without the value come last.
void sort_rows(const RunResult& run, std::vector<const CellResult*>& cells);

}  // namespace feedrate
