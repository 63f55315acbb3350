// SPDX-License-Identifier: Apache-2.0
// Selects the cells that count of a watched training. Pure functions of a result, which must
// outlive what they return; any thread.
#pragma once
#include <vector>

#include "core/result.h"

namespace feedrate {

/// The cell of each loader's last measured settings, the main loader's first. Empty if the run is
/// no watched training.
[[nodiscard]] std::vector<const CellResult*> last_cells(const RunResult& run);

/// The last cells whose settings were kept after tuning.
[[nodiscard]] std::vector<const CellResult*> kept_cells(const RunResult& run);

}  // namespace feedrate
