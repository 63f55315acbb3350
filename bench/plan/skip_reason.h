// SPDX-License-Identifier: Apache-2.0
// Combinations of settings that cannot be measured.
#pragma once
#include <string>

#include "bench/plan/cell_settings.h"
#include "bench/plan/config.h"
#include "bench/plan/plan.h"

namespace feedrate {

/// Why a cell must not run, regardless of the others; empty if it may. REQUIRES: canonicalized
/// settings
[[nodiscard]] std::string skip_reason(const CellSettings& settings, const SweepConfig& config,
                                      const PlanOptions& options);

}  // namespace feedrate
