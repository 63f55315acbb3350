// SPDX-License-Identifier: Apache-2.0
#include "training/results.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "engines/summarize.h"
#include "training/verdict.h"

namespace feedrate {
namespace {

SettingValue count(std::size_t value) { return static_cast<std::int64_t>(value); }

CellResult cell_of(const WatchedLoader& watched, std::size_t index) {
  CellResult cell;
  cell.index = index;
  cell.settings = settings_of(watched.loader);
  const std::optional<LoaderVerdict> verdict = judge(watched);
  if (!verdict) {
    cell.outcome = Outcome::kFailed;
    cell.reason = fmt::format("{} steps are too few", watched.steps);
    return cell;
  }
  cell.outcome = Outcome::kOk;
  cell.repeats.push_back(summarize(watched.measurement));
  cell.metrics = cell.repeats.front().metrics;
  const double rate = *find_metric(cell.metrics, "samples_per_second");
  cell.metrics.push_back({"trainer_limit", rate * verdict->most_to_win()});
  cell.metrics.push_back({"stall", verdict->stall});
  cell.metrics.push_back({"headspace", verdict->most_to_win()});
  if (verdict->gpu_idle) cell.metrics.push_back({"gpu_busy", 1.0 - *verdict->gpu_idle});
  cell.bottleneck = to_string(verdict->bottleneck);
  return cell;
}

std::vector<std::string> varying(const std::vector<CellResult>& cells) {
  std::vector<std::string> names;
  if (cells.empty()) return names;
  for (const Setting& setting : cells.front().settings) {
    std::set<std::string> values;
    for (const CellResult& cell : cells) values.insert(text_of(cell.settings, setting.name));
    if (values.size() > 1) names.push_back(setting.name);
  }
  return names;
}

}  // namespace

Settings settings_of(const ScriptLoader& loader) {
  const bool has_workers = loader.num_workers > 0;
  const auto with_workers = [&](SettingValue value) {
    return has_workers ? value : SettingValue(std::string());
  };
  return {{"engine", std::string("torch")},
          {"site", loader.site},
          {"batch_size", loader.batch_size ? count(*loader.batch_size) : SettingValue("")},
          {"num_workers", count(loader.num_workers)},
          {"prefetch_factor", with_workers(count(loader.prefetch_factor.value_or(2)))},
          {"pin_memory", loader.pin_memory},
          {"persistent_workers", with_workers(loader.persistent_workers)},
          {"in_order", with_workers(loader.in_order)},
          {"drop_last", loader.drop_last},
          {"multiprocessing_context", with_workers(loader.multiprocessing_context)}};
}

void set_cells(RunResult& run, const Watch& watch) {
  run.cells.clear();
  for (const WatchedLoader& watched : watch.loaders()) {
    if (watched.process.rank == 0) run.cells.push_back(cell_of(watched, run.cells.size()));
  }
  run.axes = varying(run.cells);
  auto& facts = run.environment.facts;
  facts.erase(std::remove_if(facts.begin(), facts.end(),
                             [](const Fact& fact) { return fact.name == "engine torch"; }),
              facts.end());
  if (watch.loaders().empty()) return;
  const ScriptProcess& process = watch.loaders().front().process;
  facts.push_back({"engine torch", fmt::format("torch.utils.data.DataLoader; torch {}, Python {}",
                                               process.torch, process.python)});
}

}  // namespace feedrate
