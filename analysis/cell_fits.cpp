// SPDX-License-Identifier: Apache-2.0
#include "analysis/cell_fits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "analysis/noise.h"

namespace feedrate {
namespace {

using Cells = std::vector<const CellResult*>;

bool has_starts(const CellResult* cell) {
  return std::any_of(cell->repeats.begin(), cell->repeats.end(), [](const Repeat& start) {
    const double* const rate = find_metric(start.metrics, "samples_per_second");
    return rate != nullptr && *rate > 0.0;
  });
}

std::vector<TreatmentFit> fit_starts(const Cells& cells) {
  std::vector<BlockValue> values;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (std::size_t k = 0; k < cells[i]->repeats.size(); ++k) {
      const Repeat& start = cells[i]->repeats[k];
      const double* const rate = find_metric(start.metrics, "samples_per_second");
      if (rate == nullptr || !(*rate > 0.0)) continue;
      // Old results have no rounds: each start counts as one.
      values.push_back({i, start.round.value_or(k), std::log(*rate)});
    }
  }
  return fit_blocks(values, cells.size());
}

TreatmentFit fit_interval(const CellResult& cell) {
  TreatmentFit fit{std::log(rate_of(cell)), std::numeric_limits<double>::infinity(), 0.0, {}};
  const std::optional<Uncertain> rate = uncertain_rate(cell);
  if (!rate) return fit;
  constexpr double kMost = 1000.0;  // Bounds untrusted input.
  const double starts = rate->freedom >= 1.0 && std::isfinite(rate->freedom)
                            ? std::min(rate->freedom + 1.0, kMost)
                            : 1.0;
  fit.deviation = rate->standard_error / rate->value * std::sqrt(starts);
  fit.freedom = rate->freedom;
  for (std::size_t i = 0; i < static_cast<std::size_t>(starts); ++i) fit.blocks.push_back(i);
  return fit;
}

}  // namespace

std::vector<TreatmentFit> fit_cells(const Cells& cells) {
  if (std::all_of(cells.begin(), cells.end(), has_starts)) return fit_starts(cells);
  std::vector<TreatmentFit> fits;
  for (const CellResult* cell : cells) fits.push_back(fit_interval(*cell));
  return fits;
}

}  // namespace feedrate
