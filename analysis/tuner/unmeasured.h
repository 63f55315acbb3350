// SPDX-License-Identifier: Apache-2.0
// Adds settings that a watched training did not use, for the model to predict. Pure; any thread.
#pragma once
#include "core/result.h"

namespace feedrate {

/// Adds pending cells: for each loader other numbers of workers, up to the cores, or beyond if
/// loading mostly waits, and other prefetch factors. REQUIRES: cores > 0
void add_unmeasured(RunResult& run, double cores);

}  // namespace feedrate
