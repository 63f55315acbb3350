// SPDX-License-Identifier: Apache-2.0
// Which combinations of settings cannot be measured.
#pragma once
#include <string>

#include "bench/plan/cell_settings.h"
#include "bench/plan/config.h"
#include "bench/plan/plan.h"

namespace feedrate {

/// Why a cell is not to be run, whatever the others are; empty if it is. REQUIRES: canonicalized
/// settings
[[nodiscard]] std::string skip_reason(const CellSettings& settings, const SweepConfig& config,
                                      const PlanOptions& options);

}  // namespace feedrate
