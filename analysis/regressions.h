// SPDX-License-Identifier: Apache-2.0
// Which of many compared cells are slower, beyond chance for this number of cells. Any thread.
#pragma once
#include <span>

#include "analysis/compare.h"

namespace feedrate {

/// Sets is_regression where the verdict is LOSE, the ratio is below 1 - threshold, and p_slower is
/// rejected by the false discovery rate at (1 - confidence) / 2 over all cells of all runs that
/// nothing disturbed: just where the verdict is LOSE, if there is one cell only. So two
/// results that differ in nothing have a regression in at most 2.5 % of comparisons, however many
/// cells they have. What has no interval, of one start, is no regression: it is not shown.
void mark_regressions(std::span<ComparedCell> cells, const ComparisonRule& rule);

}  // namespace feedrate
