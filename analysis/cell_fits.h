// SPDX-License-Identifier: Apache-2.0
// Fits the rates of cells as treatments of a block design, with a round as a block. Pure functions
// of a result; any thread.
#pragma once
#include <vector>

#include "core/block_fit.h"
#include "core/result.h"

namespace feedrate {

/// Fits the logarithms of samples_per_second of all starts; a difference of effects is the
/// logarithm of a ratio of rates. For a cell without recorded starts, as from cells.csv, the fit
/// uses its interval and its number of starts. REQUIRES: each cell has a rate above 0
[[nodiscard]] std::vector<TreatmentFit> fit_cells(const std::vector<const CellResult*>& cells);

}  // namespace feedrate
