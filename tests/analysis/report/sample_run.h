// SPDX-License-Identifier: Apache-2.0
// A small synthetic run with a cell of every outcome and simple numbers.
#pragma once
#include "core/result.h"

namespace feedrate {

/// Six cells on a simulated device: three ok, one failed, one skipped, one pending.
[[nodiscard]] RunResult sample_run();

/// One ok cell with this rate; `half` > 0 adds the interval rate ± half.
[[nodiscard]] CellResult measured_cell(std::size_t index, Settings settings, double rate,
                                       double half = 0.0);

/// A watched training: a loader with no worker, then trials of two, then four, which were kept; and
/// a second loader.
[[nodiscard]] RunResult watched_run();

}  // namespace feedrate
