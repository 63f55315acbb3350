// SPDX-License-Identifier: Apache-2.0
// Estimates each cost from the probe that shows it, as the start of the fit. Pure; any thread.
#pragma once
#include <span>

#include "analysis/tuner/fit.h"
#include "core/result.h"

namespace feedrate {

/// REQUIRES: as for fit_model()
[[nodiscard]] FittedModel first_guess(std::span<const CellResult* const> measured, double cores);

}  // namespace feedrate
