// SPDX-License-Identifier: Apache-2.0
// The order of a table's rows that the user asked for. A pure function; any thread.
#pragma once
#include <vector>

#include "core/result.h"

namespace feedrate {

/// Sorts the cells by RunResult::sort: rates and `au` descending, all else ascending, numbers by
/// their size. A cell without the value is last. Leaves them as they are where it is empty.
void sort_rows(const RunResult& run, std::vector<const CellResult*>& cells);

}  // namespace feedrate
