// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/model_check.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <set>

#include <fmt/format.h>

#include "analysis/tuner/changed_world.h"
#include "analysis/tuner/settings.h"
#include "analysis/tuner/work_groups.h"
#include "core/format.h"
#include "core/statistics.h"

namespace feedrate {
namespace {

using CheckedGroup = std::vector<const CellResult*>;

std::size_t folds_of(std::size_t cells) {
  constexpr std::size_t kFewCells = 12, kFolds = 5;
  return cells <= kFewCells ? cells : kFolds;
}

const CellResult* probe_with(const CheckedGroup& group, std::size_t num_workers, bool pin_memory) {
  const CellResult* best = nullptr;
  const auto distance = [](const CellResult* cell) {
    const auto factor = static_cast<double>(loop_settings(cell->settings).prefetch_factor);
    return std::abs(factor - 2.0);
  };
  for (const CellResult* cell : group) {
    const LoopSettings loop = loop_settings(cell->settings);
    if (!is_real(loop) || loop.num_workers != num_workers || loop.pin_memory != pin_memory)
      continue;
    if (best == nullptr || distance(cell) < distance(best)) best = cell;
  }
  return best;
}

CheckedGroup choose_probes(const CheckedGroup& group) {
  std::vector<std::size_t> workers;
  CheckedGroup probes;
  for (const CellResult* cell : group) {
    const LoopSettings loop = loop_settings(cell->settings);
    if (!is_real(loop)) probes.push_back(cell);
    if (loop.num_workers > 0) workers.push_back(loop.num_workers);
  }
  std::vector<std::size_t> counts{0};
  if (!workers.empty()) {
    const auto [few, many] = std::minmax_element(workers.begin(), workers.end());
    counts.push_back(*few);
    if (*many != *few) counts.push_back(*many);
  }
  for (const std::size_t count : counts) {
    for (const bool pin_memory : {false, true}) {
      if (const CellResult* cell = probe_with(group, count, pin_memory)) probes.push_back(cell);
    }
  }
  return probes;
}

bool is_near_knee(const FittedModel& model, const LoopSettings& loop) {
  if (loop.num_workers == 0) return false;
  const double lanes =
      std::min({static_cast<double>(loop.num_workers), model.cores.count, model.cores.lanes});
  const double supply = model.costs.worker_load / lanes;
  const double copy = loop.pin_memory ? model.costs.copy_pinned : model.costs.copy_fresh;
  const double demand = model.costs.compute + model.costs.host + copy;
  return std::abs(supply / demand - 1.0) <= 0.15;
}

void check_group(std::vector<CheckedCell>& checked, const CheckedGroup& group, double cores) {
  const CheckedGroup probes = choose_probes(group);
  if (probes.empty()) return;
  Replays replays(fit_model(probes, cores));
  for (const CellResult* cell : group) {
    const LoopSettings loop = loop_settings(cell->settings);
    checked.push_back({cell, std::find(probes.begin(), probes.end(), cell) != probes.end(),
                       is_near_knee(replays.model(), loop),
                       *find_metric(cell->metrics, "step_time"), replays.step_time(loop)});
  }
}

std::vector<double> errors_of(const std::vector<CheckedCell>& cells, bool only_near_knee) {
  std::vector<double> errors;
  for (const CheckedCell& cell : cells) {
    if (!cell.is_probe && (cell.is_near_knee || !only_near_knee)) errors.push_back(cell.error());
  }
  return errors;
}

}  // namespace

double CheckedCell::error() const { return std::abs(predicted / measured - 1.0); }

std::vector<CheckedCell> check_model(const RunResult& run, double cores) {
  CheckedGroup cells;
  for (const CellResult& cell : run.cells) {
    if (cell.outcome == Outcome::kOk && find_metric(cell.metrics, "step_time")) {
      cells.push_back(&cell);
    }
  }
  std::vector<CheckedCell> checked;
  for (const CheckedGroup& group : work_groups(cells)) check_group(checked, group, cores);
  return checked;
}

std::vector<double> held_out_errors(std::span<const CellResult* const> cells,
                                    std::span<const CellResult* const> measured, double cores) {
  const std::size_t folds = folds_of(cells.size());
  std::vector<double> errors;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    CheckedGroup held_out;
    for (std::size_t i = fold; i < cells.size(); i += folds) held_out.push_back(cells[i]);
    CheckedGroup others(measured.begin(), measured.end());
    std::erase_if(others, [held = std::set(held_out.begin(), held_out.end())](
                              const CellResult* cell) { return held.contains(cell); });
    std::erase_if(held_out, [&](const CellResult* cell) {
      const double* const seen = find_metric(cell->metrics, "step_time");
      return seen == nullptr || !(*seen > 0.0) ||
             !can_predict(others, loop_settings(cell->settings));
    });
    if (held_out.empty()) continue;
    Replays replays(fit_model(others, cores));
    for (const CellResult* cell : held_out) {
      const double predicted = replays.step_time(loop_settings(cell->settings));
      errors.push_back(std::abs(predicted / *find_metric(cell->metrics, "step_time") - 1.0));
    }
  }
  return errors;
}

double median_error(const std::vector<CheckedCell>& cells, bool only_near_knee) {
  return median(errors_of(cells, only_near_knee));
}

void print_model_check(std::ostream& out, const std::vector<CheckedCell>& cells) {
  for (const bool only_near_knee : {false, true}) {
    const std::vector<double> errors = errors_of(cells, only_near_knee);
    out << fmt::format(
        "{} held-out cells{}: error of step_time median {}, 90 % below {}, largest "
        "{}\n",
        errors.size(), only_near_knee ? " near the knee" : "",
        format_value(median(errors), Unit::kRatio),
        format_value(percentile(errors, 0.9), Unit::kRatio),
        format_value(percentile(errors, 1.0), Unit::kRatio));
  }
}

}  // namespace feedrate
