// SPDX-License-Identifier: Apache-2.0
// The sweep that measures the cost of samples. Pure function.
#pragma once
#include "bench/plan/config.h"

namespace feedrate {

/// Reduces `config` to six cells, each engine without workers and with one and two worker processes
/// that start with each epoch. Only loading takes time: no trainer, no pinning, no emulation. Other
/// axes keep their first value.
[[nodiscard]] SweepConfig sample_sweep(SweepConfig config);

}  // namespace feedrate
