// SPDX-License-Identifier: Apache-2.0
// Whose loader a tune explores with, and whether PyTorch's verifies what it finds. One thread.
#pragma once
#include "bench/plan/config.h"
#include "core/host/console.h"

namespace feedrate {

/// Sets `engine` and `emulate` of the sweep. One that names its engine stays as it is, and so does
/// one that PyTorch's DataLoader cannot load, or where no Python has torch: it is said why. Costs
/// that are not known yet are measured and kept, which takes minutes; where that takes longer than
/// the few cells of the sweep would, or they do not settle, PyTorch's DataLoader explores itself.
/// Returns whether candidates are to be verified by PyTorch's DataLoader. Throws ConfigError,
/// Cancelled.
[[nodiscard]] bool choose_tune_loader(SweepConfig& config, Console& console);

}  // namespace feedrate
