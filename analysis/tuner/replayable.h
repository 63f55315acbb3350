// SPDX-License-Identifier: Apache-2.0
// Whether a recorded run is one that the replay can take: files come from anywhere. Pure; any
// thread.
#pragma once
#include <string>

#include "core/result.h"

namespace feedrate {

/// Throws ConfigError, beginning with `source`, that names the first cell, its setting or metric,
/// and what would be right: no batch size, negative counts or times, and too many workers or
/// batches for a replay to end. Only cells that say something are looked at: measured and pending
/// ones.
void require_replayable(const RunResult& run, const std::string& source);

}  // namespace feedrate
