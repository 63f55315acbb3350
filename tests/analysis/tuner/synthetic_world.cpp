// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/tuner/synthetic_world.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/tuner/settings.h"
#include "core/statistics.h"

namespace feedrate::testing {

Settings settings_with(std::int64_t num_workers, std::int64_t prefetch_factor, bool pin_memory) {
  Settings settings{{"num_workers", num_workers},         {"pin_memory", pin_memory},
                    {"prefetch_factor", prefetch_factor}, {"batch_size", std::int64_t{32}},
                    {"format", std::string("folder")},    {"loader", std::string("dataloader")},
                    {"trainer", std::string("burn")}};
  if (num_workers == 0) settings[2].value = std::string();
  return settings;
}

std::vector<Settings> small_grid(std::vector<std::int64_t> workers) {
  std::vector<Settings> grid;
  for (const std::int64_t count : workers) {
    for (const std::int64_t factor : {1, 2, 4}) {
      for (const bool pin_memory : {false, true}) {
        if (count > 0 || factor == 1) grid.push_back(settings_with(count, factor, pin_memory));
      }
    }
  }
  return grid;
}

std::vector<Candidate> candidates_of(const std::vector<Settings>& grid) {
  std::vector<Candidate> candidates;
  for (const Settings& settings : grid) candidates.push_back({candidates.size(), settings, 0.0});
  return candidates;
}

void canonicalize(Settings& settings) {
  if (!loop_settings(settings).cached) return;
  for (Setting& setting : settings) {
    const bool has_meaning = setting.name != "format" && setting.name != "num_workers" &&
                             setting.name != "prefetch_factor";
    if (!has_meaning) setting.value = std::string();
  }
}

Settings with_mock(Settings settings, const char* part, const char* mock) {
  for (Setting& setting : settings) {
    if (setting.name == part) setting.value = std::string(mock);
  }
  canonicalize(settings);
  return settings;
}

BatchCosts some_costs(double compute) {
  BatchCosts costs;
  costs.inline_load = 0.012;
  costs.worker_load = 0.014;
  costs.dispatch = 0.0003;
  costs.receive = 0.0008;
  costs.pin = 0.0005;
  costs.inline_pin = 0.0004;
  costs.copy_pageable = 0.0010;
  costs.copy_fresh = 0.0016;
  costs.copy_pinned = 0.0004;
  costs.host = 0.0001;
  costs.compute = compute;
  costs.release = 0.0012;
  return costs;
}

CellResult cell_with(const Settings& settings) {
  CellResult cell;
  cell.settings = settings;
  return cell;
}

SyntheticWorld::SyntheticWorld(BatchCosts costs, Cores cores, double deviation, double bias,
                               std::uint64_t seed)
    : costs_(std::move(costs)),
      cores_(cores),
      deviation_(deviation),
      bias_(bias),
      seed_(seed),
      random_(seed) {}

ReplayedEpoch SyntheticWorld::replayed(const Settings& settings) const {
  const LoopSettings loop = loop_settings(settings);
  return replay(costs_, cores_, loop, steady_epoch(loop, 60));
}

double SyntheticWorld::bias_of(const Settings& settings) const {
  std::string name;
  for (const Setting& setting : settings) name += to_string(setting.value) + '/';
  return bias_ * RandomStream(seed_ ^ std::hash<std::string>()(name)).normal();
}

double SyntheticWorld::true_step_time(const Settings& settings) const {
  const double step_time = replayed(settings).step_time;
  Settings mock = settings;
  for (Setting& setting : mock) {
    if (setting.name == "loader") setting.value = std::string("cached");
  }
  const LoopSettings loop = loop_settings(settings);
  if (!is_real(loop)) return step_time;
  return std::max(step_time * std::exp(-bias_of(settings)), replayed(mock).step_time);
}

double SyntheticWorld::true_rate(const Settings& settings) const {
  return batch_size_of(settings) / true_step_time(settings);
}

void SyntheticWorld::measure(CellResult& cell) {
  const ReplayedEpoch epoch = replayed(cell.settings);
  const double slower =
      true_step_time(cell.settings) / epoch.step_time * std::exp(deviation_ * random_.normal());
  const double rate = batch_size_of(cell.settings) / (epoch.step_time * slower);
  Repeat repeat;
  repeat.metrics = {{"samples_per_second", rate},
                    {"step_time", epoch.step_time * slower},
                    {"wait_time", epoch.wait_time * slower},
                    {"copy_time", epoch.copy_time * slower},
                    {"training_time", epoch.training_time * slower},
                    {"cpu_time", epoch.cpu_time * slower / batch_size_of(cell.settings)},
                    {"first_batch_time_cold", epoch.first_batch_time}};
  if (!loop_settings(cell.settings).discard) {
    repeat.metrics.push_back({"compute_time_device", costs_.compute});
  }
  if (is_disturbed_) repeat.metrics.push_back({"disturbed", 1.0});
  cell.repeats.push_back(std::move(repeat));
  cell.outcome = Outcome::kOk;
  cell.metrics.clear();
  for (const Metric& metric : cell.repeats.front().metrics) {
    std::vector<double> values;
    for (const Repeat& one : cell.repeats) values.push_back(*find_metric(one.metrics, metric.tag));
    cell.metrics.push_back({metric.tag, mean(values)});
  }
}

}  // namespace feedrate::testing
