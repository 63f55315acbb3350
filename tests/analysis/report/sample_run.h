// SPDX-License-Identifier: Apache-2.0
// A small run made by hand, with one cell of every outcome and numbers easy to check.
#pragma once
#include "core/result.h"

namespace feedrate {

/// Six cells on a simulated device: three ok, one failed, one skipped, one pending.
[[nodiscard]] RunResult sample_run();

/// One ok cell with this rate; `half` > 0 gives it an interval of rate ± half.
[[nodiscard]] CellResult measured_cell(std::size_t index, Settings settings, double rate,
                                       double half = 0.0);

/// A watched training whose loader had no worker, then two on trial, then four, which were kept;
/// and a second loader.
[[nodiscard]] RunResult watched_run();

}  // namespace feedrate
