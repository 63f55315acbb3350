// SPDX-License-Identifier: Apache-2.0
// How well the model, fitted to a few cells of a recorded run, predicts the run's other cells. Pure
// functions; any thread.
#pragma once
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"

namespace feedrate {

struct CheckedCell {
  const CellResult* cell = nullptr;  ///< of the run, which must outlive it
  bool is_probe = false;             ///< the model was fitted to it; all others are held out
  bool is_near_knee = false;         ///< making and using a batch take about the same: within 15 %
  double measured = 0.0;             ///< step_time, seconds
  double predicted = 0.0;

  [[nodiscard]] double error() const;  ///< |predicted / measured - 1|
};

/// Each group of cells that make the same batches is fitted by itself, to at most six of them:
/// without workers and with the fewest and the most, pinned and not, and all mocks. Cells that were
/// not ok are left out. REQUIRES: cores > 0
[[nodiscard]] std::vector<CheckedCell> check_model(const RunResult& run, double cores);

/// Median and largest error of the cells that were held out, all of them and those near the knee.
void print_model_check(std::ostream& out, const std::vector<CheckedCell>& cells);

/// Of each of `cells` when the model is fitted to all others of `measured`; where there are more
/// than twelve, a fifth of them at a time is held out. Those that the others say nothing of are
/// left out. `measured` are cells that make the same batches, `cells` among them, all ok. REQUIRES:
/// cores > 0
[[nodiscard]] std::vector<double> held_out_errors(std::span<const CellResult* const> cells,
                                                  std::span<const CellResult* const> measured,
                                                  double cores);

/// Median error of the held-out cells; not a number where there are none.
[[nodiscard]] double median_error(const std::vector<CheckedCell>& cells, bool only_near_knee);

}  // namespace feedrate
