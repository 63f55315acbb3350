// SPDX-License-Identifier: Apache-2.0
// The cells that measure what the others could reach at most, added to a plan.
#pragma once
#include <string>
#include <vector>

#include "bench/plan/plan.h"

namespace feedrate {

/// make_plan, and unless measure.limits says no, at its end: the mock loader once for each
/// trainer's work, with the best copy of the plan; the mock trainer once for each loader's work,
/// with the most workers and batches in flight of the plan (bench/plan/reference_work.h has what
/// "work" is). What the plan measures anyway is not added. Throws as make_plan does.
[[nodiscard]] std::vector<Cell> make_plan_with_limits(const SweepConfig& config,
                                                      const PlanOptions& options);

/// "limit of the trainer", "limit of the loader", or empty where the cell is neither.
[[nodiscard]] std::string limit_note(const Cell& cell);

}  // namespace feedrate
