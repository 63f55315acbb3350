// SPDX-License-Identifier: Apache-2.0
// The cell that a tune recommends. A pure function of a result; any thread.
#pragma once
#include "core/result.h"

namespace feedrate {

/// May be pending: predicted, not measured. Null if nothing is recommended, or the run has no such
/// cell.
[[nodiscard]] const CellResult* recommended_cell(const RunResult& run);

}  // namespace feedrate
