// SPDX-License-Identifier: Apache-2.0
// `feedrate plan` as JSON: docs/schemas/plan.schema.json. One thread.
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
  std::string skip_reason;  ///< not empty: it is not measured
  std::optional<double>
      seconds;  ///< of the trainer's steps, without loading; empty: not known before a run
  std::optional<double> estimated;  ///< seconds of the least rounds (bench/time_estimate.h)
  std::optional<MemoryNeed> need;
};

/// `dataset_seconds` is what it takes to make a dataset that is not there yet, 0 where it is.
void print_plan_json(std::ostream& out, const SweepConfig& config,
                     const std::vector<PlannedCell>& cells, double dataset_seconds);

}  // namespace feedrate
