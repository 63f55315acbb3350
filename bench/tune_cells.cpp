// SPDX-License-Identifier: Apache-2.0
#include "bench/tune_cells.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/cell_text.h"
#include "analysis/conditions.h"
#include "analysis/tuner/settings.h"
#include "analysis/tuner/work_groups.h"
#include "bench/plan/canonicalize.h"
#include "bench/plan/plan.h"
#include "bench/plan/present.h"
#include "core/error.h"
#include "core/format.h"

namespace feedrate {
namespace {

bool has_value(const SweepConfig& config, const char* knob, const SettingValue& value) {
  return std::any_of(config.axes.begin(), config.axes.end(), [&](const Axis& axis) {
    return axis.name == knob && std::count(axis.values.begin(), axis.values.end(), value) > 0;
  });
}

// Settings that are not named are those of the first possible candidate.
CellSettings present_of(const std::vector<Cell>& plan, const TuneLimits& limits) {
  const auto like = std::find_if(plan.begin(), plan.end(), [](const Cell& cell) {
    return cell.skip_reason.empty() && is_real(loop_settings(cell.settings));
  });
  if (like == plan.end()) {
    throw ConfigError(
        "the plan: has only reference cells, with a mock loader or a mock trainer; tune needs "
        "loader.kind dataloader and a trainer.kind with a step, such as burn");
  }
  return present_settings(like->settings, limits.present);
}

std::string values_text(const std::vector<CellResult>& cells, const std::string& name) {
  std::vector<std::string> values;
  for (const CellResult& cell : cells) {
    const std::string text = setting_text(cell, name);
    const std::string value = text.empty() ? "none" : text;
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return fmt::format("{} ({})", name, fmt::join(values, ", "));
}

// A sweep has an answer per condition; a tune has one answer.
void require_one_condition(const std::vector<Cell>& plan) {
  std::vector<CellResult> cells;
  for (const Cell& cell : plan) {
    if (!cell.skip_reason.empty() || !is_real(loop_settings(cell.settings))) continue;
    cells.emplace_back().settings = cell.settings;
  }
  std::vector<const CellResult*> all;
  for (const CellResult& cell : cells) all.push_back(&cell);
  std::vector<std::string> varying, cures;
  for (const std::string& name : varying_conditions(all)) {
    varying.push_back(values_text(cells, name));
    cures.push_back(fmt::format("--only {}={}", name, setting_text(cells.front(), name)));
  }
  if (varying.empty()) return;
  throw ConfigError(fmt::format(
      "the plan: tune needs one value of {}; choose one, such as {}; a sweep takes several",
      fmt::join(varying, " and "), fmt::join(cures, " ")));
}

std::size_t find_settings(const std::vector<Cell>& plan, const CellSettings& settings) {
  return static_cast<std::size_t>(std::find_if(plan.begin(), plan.end(),
                                               [&](const Cell& cell) {
                                                 return cell.skip_reason.empty() &&
                                                        cell.settings == settings;
                                               }) -
                                  plan.begin());
}

std::string why_too_large(const MemoryNeed& need, const TuneLimits& limits,
                          const MemoryGuard& guard) {
  const auto host = static_cast<double>(need.host);
  if (!limits.max_host_mem || host <= *limits.max_host_mem) {
    return why_exceeds(need, guard.available());
  }
  return fmt::format("needs {} of host memory, more than --max-host-mem {}",
                     format_value(host, Unit::kBytes),
                     format_value(*limits.max_host_mem, Unit::kBytes));
}

bool is_pytorchs(const Cell& cell) { return cell.settings.text(KnobId::engine) == "torch"; }

CellSettings in_pytorch(CellSettings settings) {
  settings.set(KnobId::engine, std::string("torch"));
  canonicalize(settings);
  return settings;
}

void add_candidates(TuneCells& tune, const TuneLimits& limits, const MemoryGuard& guard) {
  for (Cell& cell : tune.cells) {
    if (!cell.skip_reason.empty() || (limits.verifies && is_pytorchs(cell))) continue;
    if (!is_real(loop_settings(cell.settings))) {
      cell.skip_reason = "a reference cell; tune measures the ones it needs";
      continue;
    }
    const std::optional<MemoryNeed> need =
        guard.need(make_cell_spec(limits.verifies ? in_pytorch(cell.settings) : cell.settings, 0));
    if (need) cell.skip_reason = why_too_large(*need, limits, guard);
    if (!cell.skip_reason.empty()) continue;
    const double memory = need ? static_cast<double>(need->host) : 0.0;
    tune.candidates.push_back({cell.index, cell.settings, memory});
  }
}

void add_pytorchs(std::vector<Cell>& plan, const SweepConfig& config, const TuneLimits& limits) {
  const std::size_t count = plan.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!plan[i].skip_reason.empty() || !is_real(loop_settings(plan[i].settings))) continue;
    CellSettings settings = in_pytorch(plan[i].settings);
    std::string problem = skip_reason(settings, config, {.usable_cpus = limits.usable_cpus});
    if (problem.empty() && find_settings(plan, settings) < plan.size()) {
      problem = "same as another cell with PyTorch's DataLoader";
    }
    if (problem.empty()) {
      plan.push_back({plan.size(), std::move(settings), {}});
    } else {
      plan[i].skip_reason = std::move(problem);
    }
  }
}

void add_finalists(TuneCells& tune) {
  for (const Candidate& candidate : tune.candidates) {
    const std::size_t cell = find_settings(tune.cells, in_pytorch(candidate.settings));
    tune.finalists.push_back({cell, tune.cells[cell].settings, candidate.memory});
  }
}

void add_probes(TuneCells& tune, const SweepConfig& config, const TuneLimits& limits) {
  const auto cpus = static_cast<double>(limits.usable_cpus);
  const auto canonical = [](Settings& settings) { canonicalize(settings); };
  for (Settings& probe : probes_for(tune.candidates, cpus, canonical)) {
    // some probes are impossible, such as a mock loader for sequences; only candidates have the
    // worker limit
    SweepConfig unlimited = config;
    unlimited.max_workers_per_cpu.reset();
    if (!skip_reason(probe, unlimited, {.usable_cpus = limits.usable_cpus}).empty()) continue;
    if (find_settings(tune.cells, probe) == tune.cells.size()) {
      tune.cells.push_back({tune.cells.size(), probe, {}});
    }
    tune.probes.push_back(std::move(probe));
  }
}

}  // namespace

void fit_to_tune(SweepConfig& config, double budget_seconds, bool keeps_steps) {
  constexpr std::size_t kSteps = 60;  // more starts tell more (docs/measurement.md, trap 4)
  constexpr double kWindowShare = 0.04;
  if (has_value(config, "batch_size", SettingValue("null"))) {  // predictions need the samples
    throw ConfigError(
        "batch_size null: tune cannot predict it; use feedrate sweep, or let DataLoader make the "
        "batches");
  }
  config.measure.epochs = 0;  // the cost of a start shows in the first batch of the long epoch
  // with group_by_length, steps must be whole pools of batches (docs/formats.md)
  if (keeps_steps || has_value(config, "group_by_length", SettingValue(true))) return;
  config.measure.steps = std::min(config.measure.steps, kSteps);
  config.measure.window_limit = from_seconds(kWindowShare * budget_seconds);
}

std::vector<Cell> with_present(const SweepConfig& config, std::vector<Cell> plan,
                               const TuneLimits& limits) {
  const CellSettings present = present_of(plan, limits);
  if (find_settings(plan, present) == plan.size()) {
    const std::string problem = skip_reason(present, config, {.usable_cpus = limits.usable_cpus});
    if (!problem.empty()) throw ConfigError(fmt::format("--present: {}", problem));
    plan.push_back({plan.size(), present, {}});
  }
  require_one_condition(plan);
  if (limits.verifies) add_pytorchs(plan, config, limits);
  return plan;
}

TuneCells make_tune_cells(const SweepConfig& config, std::vector<Cell> plan,
                          const TuneLimits& limits, const MemoryGuard& guard) {
  TuneCells tune;
  const Settings present = present_of(plan, limits);
  tune.cells = std::move(plan);
  add_candidates(tune, limits, guard);
  if (tune.candidates.empty()) {
    throw ConfigError("the plan: no cell fits in memory; `feedrate plan` prints what each needs");
  }
  const auto found =
      std::find_if(tune.candidates.begin(), tune.candidates.end(),
                   [&](const Candidate& candidate) { return candidate.settings == present; });
  if (found != tune.candidates.end()) {
    tune.present = static_cast<std::size_t>(found - tune.candidates.begin());
  }
  if (limits.verifies) add_finalists(tune);
  add_probes(tune, config, limits);
  return tune;
}

}  // namespace feedrate
