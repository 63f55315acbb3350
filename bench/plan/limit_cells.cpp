// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/limit_cells.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "bench/plan/canonicalize.h"
#include "bench/plan/cell_spec.h"
#include "bench/plan/plan.h"
#include "bench/plan/reference_work.h"

namespace feedrate {
namespace {

struct LimitKind {
  KnobId knob;
  const char* mock;
  std::string (*work)(const CellSettings&);
  bool (*is_closer)(const Cell& a, const Cell& b);
};

bool copies_better(const Cell& a, const Cell& b) {
  const auto rank = [](const Cell& cell) {
    const CellSpec spec = read_settings(cell.settings);
    return std::tuple(spec.asked.pin_memory, spec.transfer.non_blocking,
                      spec.transfer.device_prefetch, spec.transfer.copy_stream);
  };
  return rank(a) > rank(b);
}

// Pinning is additional work for the loader.
bool loads_better(const Cell& a, const Cell& b) {
  const auto rank = [](const Cell& cell) {
    const LoaderOptions loader = read_settings(cell.settings).asked;
    return std::tuple(loader.num_workers, loader.prefetch_factor, !loader.pin_memory);
  };
  return rank(a) > rank(b);
}

constexpr LimitKind kTrainerLimit{KnobId::loader, "cached", trainer_work, copies_better};
constexpr LimitKind kLoaderLimit{KnobId::trainer, "discard", loading_work, loads_better};

bool is_mock(const Cell& cell) { return !limit_note(cell).empty(); }

// Maps work to the cell closest to the limit, the earliest of equals; null if the plan has the
// limit itself.
using Closest = std::map<std::string, const Cell*>;

Closest closest_cells(const std::vector<Cell>& cells, const LimitKind& kind) {
  Closest closest;
  for (const Cell& cell : cells) {
    if (!cell.skip_reason.empty() || is_mock(cell)) continue;
    const auto [known, is_new] = closest.try_emplace(kind.work(cell.settings), &cell);
    if (!is_new && kind.is_closer(cell, *known->second)) known->second = &cell;
  }
  for (const Cell& cell : cells) {
    if (!cell.skip_reason.empty() || cell.settings.text(kind.knob) != kind.mock) continue;
    const auto known = closest.find(kind.work(cell.settings));
    if (known != closest.end()) known->second = nullptr;
  }
  return closest;
}

CellSettings with_mock(CellSettings settings, const LimitKind& kind) {
  settings.set(kind.knob, std::string(kind.mock));
  canonicalize(settings);
  return settings;
}

std::vector<const Cell*> in_plan_order(const Closest& closest) {
  std::vector<const Cell*> cells;
  for (const auto& [work, cell] : closest) {
    if (cell != nullptr) cells.push_back(cell);
  }
  std::sort(cells.begin(), cells.end(),
            [](const Cell* a, const Cell* b) { return a->index < b->index; });
  return cells;
}

}  // namespace

std::vector<Cell> make_plan_with_limits(const SweepConfig& config, const PlanOptions& options) {
  std::vector<Cell> plan = make_plan(config, options);
  if (!config.measure.limits) return plan;
  std::vector<CellSettings> limits;
  for (const LimitKind& kind : {kTrainerLimit, kLoaderLimit}) {
    for (const Cell* const cell : in_plan_order(closest_cells(plan, kind))) {
      CellSettings settings = with_mock(cell->settings, kind);
      if (skip_reason(settings, config, options).empty()) {
        limits.push_back(std::move(settings));
      }
    }
  }
  for (CellSettings& settings : limits) plan.push_back({plan.size(), std::move(settings), {}});
  return plan;
}

std::string limit_note(const Cell& cell) {
  const auto has = [&](const LimitKind& kind) {
    return cell.settings.text(kind.knob) == kind.mock;
  };
  if (cell.settings.text(KnobId::loader) == "resident") return "reference cell of the step";
  if (has(kTrainerLimit)) return "reference cell of the trainer";
  return has(kLoaderLimit) ? "reference cell of the loader" : "";
}

}  // namespace feedrate
