// SPDX-License-Identifier: Apache-2.0
// Estimates the duration of a sweep from short starts of some cells. One thread.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/plan/config.h"
#include "bench/plan/plan.h"
#include "core/host/console.h"

namespace feedrate {

struct TimeEstimate {
  /// Seconds of the least rounds of each cell, by index in the plan; nothing for cells that are
  /// skipped or that no probe could load.
  std::vector<std::optional<double>> cells;
  double dataset = 0.0;    ///< seconds to make and convert a missing dataset
  std::size_t probes = 0;  ///< measured starts
  std::string problem;     ///< why a probe failed; empty on success
};

/// Starts one cell of each kind of loading without workers and without a trainer, one with the most
/// workers, and each trainer with an unknown step, for a few small batches each. A missing dataset
/// is sampled in a temporary folder. The expected time of a round of a cell with w workers is
///   start + w * worker + steps * max(batch * load / min(w, CPUs), step)
/// and the sum of both without workers. No new probe starts after `budget` seconds: its cells take
/// the mean of the others. Throws Cancelled.
[[nodiscard]] TimeEstimate estimate_time(const SweepConfig& config, const std::vector<Cell>& plan,
                                         double budget, Console& console);

}  // namespace feedrate
