// SPDX-License-Identifier: Apache-2.0
// How long a sweep takes, from short starts of a few of its cells. One thread.
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
  /// Seconds of the least rounds of each cell, by its place in the plan; nothing for cells that are
  /// skipped or that no probe could load.
  std::vector<std::optional<double>> cells;
  double dataset = 0.0;    ///< seconds to make and convert a dataset that is not there yet
  std::size_t probes = 0;  ///< starts that were measured
  std::string problem;     ///< why a probe failed; empty: none did
};

/// Starts one cell of each kind of loading without workers and without a trainer, one with the most
/// workers, and each trainer whose step is not known beforehand, for a few small batches each; a
/// dataset that is not there is sampled in a temporary folder. A cell with w workers is expected to
/// take, in each round,
///   start + w * worker + steps * max(batch * load / min(w, CPUs), step)
/// and the sum of both without workers. No new probe starts after `budget` seconds: its cells take
/// the mean of the others. Throws Cancelled.
[[nodiscard]] TimeEstimate estimate_time(const SweepConfig& config, const std::vector<Cell>& plan,
                                         double budget, Console& console);

}  // namespace feedrate
