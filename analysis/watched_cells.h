// SPDX-License-Identifier: Apache-2.0
// Which cells of a watched training are the ones that count. Pure functions of a result, which must
// outlive what they return; any thread.
#pragma once
#include <vector>

#include "core/result.h"

namespace feedrate {

/// Of each loader the cell of the last settings that were measured, the main loader's first. Empty
/// where the run is not of a watched training.
[[nodiscard]] std::vector<const CellResult*> last_cells(const RunResult& run);

/// Those of them that stayed when tuning was over.
[[nodiscard]] std::vector<const CellResult*> kept_cells(const RunResult& run);

}  // namespace feedrate
