// SPDX-License-Identifier: Apache-2.0
// Adds cells to a plan that measure the upper limits of the others.
#pragma once
#include <string>
#include <vector>

#include "bench/plan/plan.h"

namespace feedrate {

/// Calls make_plan(). Unless measure.limits is off, it appends the mock loader once for each
/// trainer's work, with the best copy of the plan, and the mock trainer once for each loader's
/// work, with the most workers and batches in flight of the plan ("work":
/// bench/plan/reference_work.h). Cells that the plan has are not added. Throws as make_plan() does.
[[nodiscard]] std::vector<Cell> make_plan_with_limits(const SweepConfig& config,
                                                      const PlanOptions& options);

/// "limit of the trainer", "limit of the loader", or empty for other cells.
[[nodiscard]] std::string limit_note(const Cell& cell);

}  // namespace feedrate
