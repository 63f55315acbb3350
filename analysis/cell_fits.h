// SPDX-License-Identifier: Apache-2.0
// The rates of cells as treatments of a block design: a round is a block. Pure functions of a
// result; any thread.
#pragma once
#include <vector>

#include "core/block_fit.h"
#include "core/result.h"

namespace feedrate {

/// Fits the logarithms of samples_per_second of all starts; a difference of effects is the
/// logarithm of a ratio of rates. Where a cell has no starts on record, as in cells.csv, the fits
/// follow from the interval of each cell and from its number of starts.
/// REQUIRES: each cell has a rate above 0
[[nodiscard]] std::vector<TreatmentFit> fit_cells(const std::vector<const CellResult*>& cells);

}  // namespace feedrate
