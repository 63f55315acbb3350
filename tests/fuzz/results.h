// SPDX-License-Identifier: Apache-2.0
// What the targets of results share: all that `feedrate report`, `compare` and `what-if` make of a
// run.
#pragma once
#include "core/result.h"

namespace feedrate::fuzz {

/// Replays `run` if it is small, judges it, compares it with itself and makes the page's data.
/// Swallows Error.
void use_results(RunResult run);

}  // namespace feedrate::fuzz
