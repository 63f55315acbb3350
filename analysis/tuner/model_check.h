// SPDX-License-Identifier: Apache-2.0
// The error of the model, fitted to a few cells of a recorded run, on the other cells. Pure
// functions; any thread.
#pragma once
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"

namespace feedrate {

struct CheckedCell {
  const CellResult* cell = nullptr;  ///< of the run, which must outlive this
  bool is_probe = false;             ///< fitted to; the others are held out
  bool is_near_knee = false;         ///< making and using a batch take equally long within 15 %
  double measured = 0.0;             ///< step_time, seconds
  double predicted = 0.0;

  [[nodiscard]] double error() const;  ///< |predicted / measured - 1|
};

/// Fits each group of cells that make the same batches to at most six of them (no, the fewest and
/// the most workers, pinned and not) and to all mocks. Cells that are not ok are skipped. REQUIRES:
/// cores > 0
[[nodiscard]] std::vector<CheckedCell> check_model(const RunResult& run, double cores);

/// Prints the errors of the held-out cells, of all and of those near the knee.
void print_model_check(std::ostream& out, const std::vector<CheckedCell>& cells);

/// The error of each of `cells` with the model fitted to the others of `measured`; of more than
/// twelve, a fifth at a time is held out. Cells that the others cannot predict are skipped.
/// `measured` are ok cells that make the same batches, `cells` among them. REQUIRES: cores > 0
[[nodiscard]] std::vector<double> held_out_errors(std::span<const CellResult* const> cells,
                                                  std::span<const CellResult* const> measured,
                                                  double cores);

/// NaN without held-out cells.
[[nodiscard]] double median_error(const std::vector<CheckedCell>& cells, bool only_near_knee);

}  // namespace feedrate
