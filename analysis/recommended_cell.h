// SPDX-License-Identifier: Apache-2.0
// Which cell of a run a tune recommends. A pure function of a result; any thread.
#pragma once
#include "core/result.h"

namespace feedrate {

/// The recommended cell, which may be a pending one: predicted, not measured. Null where nothing is
/// recommended, or the run has no such cell.
[[nodiscard]] const CellResult* recommended_cell(const RunResult& run);

}  // namespace feedrate
