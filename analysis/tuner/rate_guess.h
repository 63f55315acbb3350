// SPDX-License-Identifier: Apache-2.0
// Costs that explain how the rate of a loop changes with its workers, where nothing but rates is
// known, as in tables of papers and courses. Pure functions of results; any thread.
//
// With W workers that make a batch in `load` seconds, at most `lanes` of them at full speed, beside
// a training of `train` seconds, a step takes
//
//   max(load / min(W, lanes), train)       load + train without workers
//
// the mock trainer's is the first part of it alone, the mock loader's `train`. This is the steady
// state of replay.h without its small costs.
#pragma once
#include <limits>
#include <span>

#include "core/result.h"

namespace feedrate {

struct RateCosts {
  double load = 0.0;
  double train = 0.0;  ///< at most this where `train_is_seen` is false
  double lanes = std::numeric_limits<double>::infinity();
  /// Workers that were seen at work at the same time: load / step, of any cell.
  double most_at_once = 1.0;
  /// Whether a cell shows the training: a mock loader, none of the workers, or more workers that
  /// win nothing.
  bool train_is_seen = false;
};

/// The costs with the least sum of squared logarithms of predicted / measured. A training, or lanes
/// other than the cores, must explain more than 5 % of noise, and a training among workers makes
/// the rate flat: workers that scale to the last row are the limit there. REQUIRES: a cell with a
/// step_time above 0
[[nodiscard]] RateCosts guess_by_rates(std::span<const CellResult* const> measured, double cores);

}  // namespace feedrate
