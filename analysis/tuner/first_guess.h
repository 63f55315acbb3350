// SPDX-License-Identifier: Apache-2.0
// The costs as the probes show them directly, before they are fitted together. Pure; any thread.
#pragma once
#include <span>

#include "analysis/tuner/fit.h"
#include "core/result.h"

namespace feedrate {

/// REQUIRES: as fit_model()
[[nodiscard]] FittedModel first_guess(std::span<const CellResult* const> measured, double cores);

}  // namespace feedrate
