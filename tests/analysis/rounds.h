// SPDX-License-Identifier: Apache-2.0
// Runs with known starts in each round.
#pragma once
#include <cstddef>
#include <string>

#include "core/result.h"

namespace feedrate {

/// Adds an ok start in `round`; its cell's rate becomes the mean of its starts.
void add_start(CellResult& cell, std::size_t round, double rate);

/// A file of tests/golden/noise.
[[nodiscard]] RunResult recorded_run(const std::string& name);

}  // namespace feedrate
