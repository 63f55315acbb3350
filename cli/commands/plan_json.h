// SPDX-License-Identifier: Apache-2.0
// The output of `feedrate plan --json` (docs/schemas/plan.schema.json). One thread.
#pragma once
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "bench/plan/config.h"
#include "bench/plan/memory_model.h"
#include "bench/plan/plan.h"
#include "core/setting.h"

namespace feedrate {

struct PlannedCell {
  const Cell* cell = nullptr;
  std::string skip_reason;  ///< not empty: not measured
  /// Seconds of the trainer's steps, without loading; empty if only a run can tell.
  std::optional<double> seconds;
  std::optional<double> estimated;  ///< seconds of the least rounds (bench/time_estimate.h)
  std::optional<MemoryNeed> need;
};

/// `dataset_seconds` is the time to make a missing dataset, else 0.
void print_plan_json(std::ostream& out, const SweepConfig& config,
                     const std::vector<PlannedCell>& cells, double dataset_seconds);

}  // namespace feedrate
