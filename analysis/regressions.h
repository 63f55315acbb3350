// SPDX-License-Identifier: Apache-2.0
// Marks the compared cells that are slower beyond chance. Any thread.
#pragma once
#include <span>

#include "analysis/compare.h"

namespace feedrate {

/// Sets is_regression if the verdict is LOSE, the ratio is below 1 - threshold, and p_slower is
/// rejected by the false discovery rate at (1 - confidence) / 2 over all undisturbed cells of all
/// runs; with one cell, this test agrees with the verdict. Two equal results have a regression in
/// at most 2.5 % of comparisons, for any number of cells. A cell without an interval, of one start,
/// is no regression.
void mark_regressions(std::span<ComparedCell> cells, const ComparisonRule& rule);

}  // namespace feedrate
