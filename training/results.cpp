// SPDX-License-Identifier: Apache-2.0
#include "training/results.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "bench/engines/protocol.h"
#include "core/statistics.h"
#include "training/segment.h"
#include "training/wait_verdict.h"

namespace feedrate {
namespace {

SettingValue count(std::size_t value) { return static_cast<std::int64_t>(value); }

// The copy is a part of the training, and the CPU time of other work than loading is not known.
bool is_unseen(const Metric& metric) {
  return metric.tag == "copy_time" || metric.tag == "cpu_time";
}

Measurement kept_steps(const WatchedLoader& watched) {
  std::vector<LoggedStep> kept;
  std::copy_if(watched.log.begin(), watched.log.end(), std::back_inserter(kept),
               [](const LoggedStep& step) { return step.fate != StepFate::kDiscarded; });
  Measurement measurement = measurement_of(kept);
  measurement.epochs = watched.epochs;
  return measurement;
}

// Means are over the whole blocks, as in the summary and the history; the distribution is over the
// kept steps.
void set_means(std::vector<Metric>& metrics, const WatchedLoader& watched) {
  const StepTimes times = *step_times(watched);
  const std::pair<std::string_view, std::optional<double>> means[] = {
      {"loading_time", times.loading},
      {"wait_time", times.loading},
      {"training_time", times.training},
      {"step_time", times.step()},
      {"samples_per_second", rate_of(watched.sums)}};
  for (const auto& [tag, value] : means) {
    for (Metric& metric : metrics) {
      if (metric.tag == tag && value) metric.value = *value;
    }
  }
}

// The interval is over blocks of consecutive whole turns: neighboring steps are alike, such blocks
// hardly.
void add_interval(CellResult& cell, const WatchedLoader& watched, const Measurement& measurement) {
  constexpr std::size_t kBlocks = 10;
  const std::vector<StepMarks>& kept = measurement.kept;
  const std::size_t turn = turn_of(watched.loader);
  const std::size_t size = kept.size() / turn / kBlocks * turn;
  if (size == 0) return;
  std::vector<double> times;  // A sample.
  for (std::size_t i = 0; i < kBlocks; ++i) {
    const auto block = std::span(kept).subspan(i * size, size);
    double samples = 0.0;
    for (const StepMarks& step : block) samples += static_cast<double>(step.samples);
    times.push_back(to_seconds(block.back().trained - block.front().asked) / samples);
  }
  const Interval interval = confidence_interval(times, 0.95);
  if (!(interval.low > 0.0) || !std::isfinite(interval.high)) return;
  cell.metrics.push_back({"samples_per_second_low", 1.0 / interval.high});
  cell.metrics.push_back({"samples_per_second_high", 1.0 / interval.low});
}

// Adds the costs to which the model of the loader is fitted.
void add_costs(CellResult& cell, const WatchedLoader& watched) {
  const double* const rate = find_metric(cell.metrics, "samples_per_second");
  const double* const step = find_metric(cell.metrics, "step_time");
  const double samples = *rate * *step * static_cast<double>(watched.fetched);
  if (samples > 0.0) {
    cell.metrics.push_back({"fetch_time", watched.fetch_wall / samples});
    cell.metrics.push_back({"fetch_cpu_time", watched.fetch_cpu / samples});
  }
  if (watched.gpu_steps == 0) return;
  cell.metrics.push_back(
      {"compute_time_device", watched.gpu_busy / static_cast<double>(watched.gpu_steps)});
}

CellResult cell_of(const WatchedLoader& watched, std::size_t index) {
  CellResult cell;
  cell.index = index;
  cell.settings = settings_of(watched.loader);
  const std::optional<WaitVerdict> verdict = judge(watched);
  const Measurement measurement = kept_steps(watched);
  Repeat repeat = verdict ? summarize(measurement) : Repeat{};
  std::erase_if(repeat.metrics, is_unseen);
  const double* const rate = find_metric(repeat.metrics, "samples_per_second");
  if (rate == nullptr) {  // Also where steps take no time, which a message may say.
    cell.outcome = Outcome::kFailed;
    cell.reason = fmt::format("{} steps are too few", watched.steps);
    return cell;
  }
  set_means(repeat.metrics, watched);
  cell.outcome = Outcome::kOk;
  cell.metrics = repeat.metrics;
  add_interval(cell, watched, measurement);
  cell.metrics.push_back({"trainer_limit", *rate * verdict->most_to_win()});
  cell.metrics.push_back({"stall", verdict->stall});
  cell.metrics.push_back({"headspace", verdict->most_to_win()});
  add_costs(cell, watched);
  if (verdict->gpu_idle) cell.metrics.push_back({"gpu_busy", 1.0 - *verdict->gpu_idle});
  cell.bottleneck = bottleneck_name(watched, *verdict);
  cell.repeats.push_back(std::move(repeat));
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
