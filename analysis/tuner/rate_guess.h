// SPDX-License-Identifier: Apache-2.0
// Estimates costs from rates alone, as in tables of papers and courses, by their change with the
// number of workers. Pure functions of results; any thread.
//
// With W workers that make a batch in `load` seconds, at most `lanes` of them at full speed, and a
// training step of `train` seconds, a step takes
//
//   max(load / min(W, lanes), train)       load + train without workers
//
// The mock trainer's step is the first part alone, the mock loader's is `train`. This is the steady
// state of replay.h without its small costs.
#pragma once
#include <limits>
#include <span>

#include "core/result.h"

namespace feedrate {

struct RateCosts {
  double load = 0.0;
  double train = 0.0;  ///< an upper bound unless `train_is_seen`
  double lanes = std::numeric_limits<double>::infinity();
  /// The largest number of concurrently busy workers in any cell: load / step.
  double most_at_once = 1.0;
  /// Whether a cell shows the training: with a mock loader, without workers, or with more workers
  /// that gain nothing.
  bool train_is_seen = false;
};

/// The costs with the least sum of squared logarithms of predicted / measured. A training, or lanes
/// other than the cores, must explain more than 5 % of noise. A training limits cells with workers
/// only if the rate becomes flat: workers that scale to the last row are the limit there. REQUIRES:
/// a cell with a step_time above 0
[[nodiscard]] RateCosts guess_by_rates(std::span<const CellResult* const> measured, double cores);

}  // namespace feedrate
