// SPDX-License-Identifier: Apache-2.0
// What a sweep's samples cost, as a sweep. Pure function.
#pragma once
#include "bench/plan/config.h"

namespace feedrate {

/// `config` cut down to six cells, each engine without workers and with one and two worker
/// processes that start with each epoch, in which loading is all: no trainer, nothing pinned,
/// nothing emulated. What else varies stands at its first value.
[[nodiscard]] SweepConfig sample_sweep(SweepConfig config);

}  // namespace feedrate
