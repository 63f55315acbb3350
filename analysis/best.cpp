// SPDX-License-Identifier: Apache-2.0
#include "analysis/best.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "analysis/cell_text.h"
#include "analysis/noise.h"
#include "bench/plan/reference_work.h"
#include "core/format.h"

namespace feedrate {

bool is_limit(const CellResult& cell) {
  return setting_text(cell, "trainer") == "discard" || has_mock_loader(cell.settings);
}

bool has_only_limits(const RunResult& run) {
  return std::all_of(run.cells.begin(), run.cells.end(), is_limit);
}

std::vector<const CellResult*> choosable_cells(const RunResult& run) {
  const bool are_limits_too = has_only_limits(run);
  std::vector<const CellResult*> cells;
  for (const CellResult& cell : run.cells) {
    if (are_limits_too || !is_limit(cell)) cells.push_back(&cell);
  }
  return cells;
}

std::vector<const CellResult*> measured_cells(const RunResult& run) {
  std::vector<const CellResult*> cells = choosable_cells(run);
  std::erase_if(cells, [](const CellResult* cell) { return !is_measured(*cell); });
  return cells;
}

SettingsCost cost_of(const Settings& settings, double memory) {
  return {count_of(settings, "num_workers"), count_of(settings, "device_prefetch"),
          text_of(settings, "copy_stream") == "side", memory,
          text_of(settings, "persistent_workers") != "true"};
}

bool is_cheaper(const CellResult& a, const CellResult& b) {
  const auto cost = [](const CellResult& cell) {
    const double* const memory = find_metric(cell.metrics, "memory");
    const bool is_known = memory != nullptr && std::isfinite(*memory);
    return std::pair(
        cost_of(cell.settings, is_known ? *memory : std::numeric_limits<double>::infinity()),
        cell.index);
  };
  return cost(a) < cost(b);
}

std::vector<const CellResult*> fastest_first(const RunResult& run) {
  std::vector<const CellResult*> cells;
  for (const CellResult& cell : run.cells) {
    if (is_measured(cell)) cells.push_back(&cell);
  }
  std::stable_sort(cells.begin(), cells.end(), [](const CellResult* a, const CellResult* b) {
    return rate_of(*a) > rate_of(*b);
  });
  return cells;
}

std::string rate_text(const CellResult& cell) {
  const double rate = rate_of(cell);
  const std::string text = format_number(rate);
  const std::optional<Interval> interval = rate_interval(cell);
  if (!interval || !(rate > 0.0)) return text;
  const double percent = 100.0 * (interval->high - interval->low) / 2.0 / rate;
  return percent >= 0.95 ? fmt::format("{} ± {:.0f} %", text, percent)
                         : fmt::format("{} ± {:.1f} %", text, percent);
}

const CellResult* recommended_cell(const RunResult& run) {
  if (!run.recommended) return nullptr;
  const auto found = std::find_if(run.cells.begin(), run.cells.end(), [&](const CellResult& cell) {
    return cell.outcome != Outcome::kSkipped && cell.settings == run.recommended->settings;
  });
  return found == run.cells.end() ? nullptr : &*found;
}

}  // namespace feedrate
