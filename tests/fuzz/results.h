// SPDX-License-Identifier: Apache-2.0
// Shared by the targets of results: the analyses of `feedrate report`, `compare` and `what-if`.
#pragma once
#include "core/result.h"

namespace feedrate::fuzz {

/// Replays `run` if it is small, judges it, compares it with itself and makes the page's data.
/// Ignores Error.
void use_results(RunResult run);

}  // namespace feedrate::fuzz
