// SPDX-License-Identifier: Apache-2.0
// Chooses the loader that a tune explores with, and whether PyTorch's verifies. One thread.
#pragma once
#include "bench/plan/config.h"
#include "core/host/console.h"

namespace feedrate {

/// Sets `engine` and `emulate` of the sweep, unless it names its engine, PyTorch's DataLoader
/// cannot load it, or no Python has torch; prints the reason. Measures and keeps unknown costs,
/// which takes minutes; if that would take longer than the sweep's few cells, or if the costs do
/// not settle, PyTorch's DataLoader explores. Returns whether PyTorch's DataLoader verifies
/// candidates. Throws ConfigError, Cancelled.
[[nodiscard]] bool choose_tune_loader(SweepConfig& config, Console& console);

}  // namespace feedrate
