// SPDX-License-Identifier: Apache-2.0
// Fits of the rates of cells. Pure functions of a result; any thread.
#pragma once
#include <vector>

#include "core/block_fit.h"
#include "core/result.h"

namespace feedrate {

/// Fits the logarithms of samples_per_second of all starts as a block design: cells are treatments,
/// rounds are blocks. A difference of effects is the logarithm of a ratio of rates. A cell without
/// recorded starts, as from cells.csv, is fitted by its interval and number of starts. REQUIRES:
/// each cell has a rate above 0
[[nodiscard]] std::vector<TreatmentFit> fit_cells(const std::vector<const CellResult*>& cells);

}  // namespace feedrate
