// SPDX-License-Identifier: Apache-2.0
// The costs as the probes show them directly, before they are fitted together. Pure; any thread.
#pragma once
#include <span>

#include "core/result.h"
#include "tuner/fit.h"

namespace feedrate {

/// REQUIRES: as fit_model()
[[nodiscard]] FittedModel first_guess(std::span<const CellResult* const> measured, double cores);

}  // namespace feedrate
