// SPDX-License-Identifier: Apache-2.0
#include "training/in_place_model.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/tuner/settings.h"
#include "core/statistics.h"

namespace feedrate {
namespace {

constexpr double kMostlyWaits = 0.5;  // Share of a batch's time that is CPU time, at most.
constexpr double kMostSaved = 0.9;    // Of the training, by the other pin_memory.
// Bytes/s that a copy from pinned memory saves, compared with memory that just came from a worker:
// 77 MB in 14 ms in results/h100-16cpu/2026-11-26-resnet50.
constexpr double kPageableCopies = 5.5e9;

// The costs of a batch. In crowded workers it waits for a core, which is no part of its cost.
BatchCosts costs_of(const WatchedLoader& watched, const StepTimes& times) {
  BatchCosts costs;
  const double batches = std::max(1.0, static_cast<double>(watched.fetched));
  const double wall = watched.fetch_wall / batches;
  const double cpu = std::min(wall, watched.fetch_cpu / batches);
  const bool is_crowded =
      watched.loader.num_workers >= watched.process.cpus && cpu > kMostlyWaits * wall;
  costs.worker_load = std::max(is_crowded ? cpu : wall, 1e-9);
  costs.inline_load = costs.worker_load;
  costs.cpu_share = std::min(1.0, cpu / costs.worker_load);
  (watched.gpu_steps == 0 ? costs.host : costs.compute) = times.training;
  return costs;
}

double bytes_from_pageable_memory(const ScriptCopies& copies) {  // A step.
  double bytes = 0.0;
  std::size_t steps = 0;
  for (const ScriptCopies::Site& site : copies.sites) {
    steps = std::max(steps, site.calls);
    if (!site.pinned) bytes += static_cast<double>(site.bytes);
  }
  return steps == 0 ? 0.0 : bytes / static_cast<double>(steps);
}

double samples_of(const std::vector<LoggedStep>& steps) {
  double samples = 0.0;
  for (const LoggedStep& step : steps) samples += static_cast<double>(step.samples);
  return samples / static_cast<double>(steps.size());
}

double metric_of(const CellResult& cell, const char* name) {
  const double* const value = find_metric(cell.metrics, name);
  return value == nullptr ? 0.0 : *value;
}

double step_time_of(const CellResult& cell) { return metric_of(cell, "step_time"); }

bool has_workers(const CellResult& cell) { return loop_settings(cell.settings).num_workers > 0; }

}  // namespace

InPlaceModel::InPlaceModel(const WatchedLoader& present)
    : cores_{static_cast<double>(present.process.cpus)}, pin_memory_(present.loader.pin_memory) {
  const std::vector<LoggedStep> steady = steady_steps(present);
  samples_ = samples_of(steady);
  const StepTimes times = steady_times(present, steady).value_or(StepTimes{});
  seen_.batch = costs_of(present, times);
  if (!pin_memory_) {
    seen_.other_pin = -std::min(bytes_from_pageable_memory(present.copies) / kPageableCopies,
                                kMostSaved * times.training);
  }
  training_ = times.training;
}

std::vector<std::optional<Prediction>> InPlaceModel::predict(
    std::span<const Candidate> candidates, std::span<const CellResult> measured) const {
  const StepCosts costs = fit(measured);
  std::vector<std::optional<Prediction>> predictions;
  for (const Candidate& candidate : candidates) {
    const ReplayedEpoch epoch = replay_at(costs, candidate.settings);
    const double training = training_ + longer_at(costs, loop_settings(candidate.settings));
    predictions.push_back(Prediction{samples_ / epoch.step_time, epoch.step_time,
                                     epoch.first_batch_time, samples_ / training});
  }
  return predictions;
}

InPlaceModel::StepCosts InPlaceModel::fit(std::span<const CellResult> measured) const {
  const std::vector<StepCosts> all = possible(measured);
  std::vector<double> misfits;
  for (const StepCosts& costs : all) misfits.push_back(misfit(costs, measured));
  const auto best = std::min_element(misfits.begin(), misfits.end());
  return all[static_cast<std::size_t>(best - misfits.begin())];
}

// The work of the training thread for a batch of workers is at most what a measured step took
// beyond the model.
std::vector<InPlaceModel::StepCosts> InPlaceModel::possible(
    std::span<const CellResult> measured) const {
  std::vector<StepCosts> all{seen_};
  all.front().other_pin = other_pin(measured);
  if (seen_.batch.host > 0.0) {
    all.push_back(all.front());
    std::swap(all.back().batch.host, all.back().batch.compute);
  }
  for (std::size_t i = 0, count = all.size(); i < count; ++i) {
    for (const CellResult& cell : measured) {
      if (cell.outcome != Outcome::kOk || !has_workers(cell)) continue;
      StepCosts other = all[i];
      other.batch.receive = step_time_of(cell) - replay_at(all[i], cell.settings).step_time;
      if (other.batch.receive > 0.0) all.push_back(other);
    }
  }
  return all;
}

// Compares with a cell of as many workers, if there is one, since these take CPUs from the
// training.
double InPlaceModel::other_pin(std::span<const CellResult> measured) const {
  std::map<std::size_t, double> own;
  for (const CellResult& cell : measured) {
    const LoopSettings loop = loop_settings(cell.settings);
    const bool is_own = cell.outcome == Outcome::kOk && loop.pin_memory == pin_memory_;
    if (is_own) own[loop.num_workers] = metric_of(cell, "training_time");
  }
  std::vector<double> longer;
  for (const CellResult& cell : measured) {
    const LoopSettings loop = loop_settings(cell.settings);
    if (cell.outcome != Outcome::kOk || loop.pin_memory == pin_memory_) continue;
    const auto same = own.find(loop.num_workers);
    longer.push_back(metric_of(cell, "training_time") -
                     (same == own.end() ? training_ : same->second));
  }
  return longer.empty() ? seen_.other_pin : std::max(mean(longer), -kMostSaved * training_);
}

double InPlaceModel::longer_at(const StepCosts& costs, const LoopSettings& loop) const {
  return loop.pin_memory == pin_memory_ ? 0.0 : costs.other_pin;
}

double InPlaceModel::misfit(const StepCosts& costs, std::span<const CellResult> measured) const {
  double squares = 0.0;
  for (const CellResult& cell : measured) {
    if (cell.outcome != Outcome::kOk) continue;
    const double error = std::log(step_time_of(cell) / replay_at(costs, cell.settings).step_time);
    squares += error * error;
  }
  return squares;
}

ReplayedEpoch InPlaceModel::replay_at(const StepCosts& costs, const Settings& settings) const {
  const LoopSettings loop = loop_settings(settings);
  BatchCosts batch = costs.batch;
  (batch.host > 0.0 ? batch.host : batch.compute) += longer_at(costs, loop);
  return replay(batch, cores_, loop, steady_epoch(loop, 60));
}

}  // namespace feedrate
