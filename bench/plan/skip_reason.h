// SPDX-License-Identifier: Apache-2.0
// Which combinations of settings cannot be measured.
#pragma once
#include <string>

#include "bench/plan/config.h"
#include "bench/plan/plan.h"
#include "core/setting.h"

namespace feedrate {

/// Why a cell is not to be run, whatever the others are; empty if it is. REQUIRES: canonicalized
/// settings
[[nodiscard]] std::string skip_reason(const Settings& settings, const SweepConfig& config,
                                      const PlanOptions& options);

}  // namespace feedrate
