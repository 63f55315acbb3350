// SPDX-License-Identifier: Apache-2.0
// Checks that a run can be replayed, since files may have any origin. Pure; any thread.
#pragma once
#include <optional>
#include <string>

#include "core/result.h"

namespace feedrate {

/// Throws ConfigError, beginning with `source`, that names the first bad cell, its setting or
/// metric, and the valid values: no batch size, negative counts or times, or too many workers or
/// batches for a replay to end. Checks measured and pending cells only.
void require_replayable(const RunResult& run, const std::string& source);

/// The CPUs in the run's environment; a CSV has none.
[[nodiscard]] std::optional<double> recorded_cores(const RunResult& run);

}  // namespace feedrate
