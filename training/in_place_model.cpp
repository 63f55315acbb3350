// SPDX-License-Identifier: Apache-2.0
#include "training/in_place_model.h"

#include <algorithm>
#include <cmath>

#include "tuner/settings.h"

namespace feedrate {
namespace {

constexpr double kMostlyWaits = 0.5;  // Share of a batch's time that is CPU time, at most.

// What a batch costs. In workers that compute and have no core for themselves it waits for one.
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
  (watched.gpu_busy.empty() ? costs.host : costs.compute) = times.training;
  return costs;
}

double samples_of(const Measurement& measurement) {
  double samples = 0.0;
  for (const StepMarks& step : measurement.kept) samples += static_cast<double>(step.samples);
  return samples / static_cast<double>(measurement.kept.size());
}

double step_time_of(const CellResult& cell) {
  const double* const time = find_metric(cell.metrics, "step_time");
  return time == nullptr ? 0.0 : *time;
}

bool has_workers(const CellResult& cell) { return loop_settings(cell.settings).num_workers > 0; }

}  // namespace

InPlaceModel::InPlaceModel(const WatchedLoader& present)
    : cores_{static_cast<double>(present.process.cpus)}, samples_(samples_of(present.measurement)) {
  const StepTimes times = step_times(present).value_or(StepTimes{});
  seen_ = costs_of(present, times);
  training_ = times.training;
}

std::vector<std::optional<Prediction>> InPlaceModel::predict(
    std::span<const Candidate> candidates, std::span<const CellResult> measured) const {
  const BatchCosts costs = fit(measured);
  std::vector<std::optional<Prediction>> predictions;
  for (const Candidate& candidate : candidates) {
    const ReplayedEpoch epoch = replay_at(costs, candidate.settings);
    predictions.push_back(Prediction{samples_ / epoch.step_time, epoch.step_time,
                                     epoch.first_batch_time, samples_ / training_});
  }
  return predictions;
}

BatchCosts InPlaceModel::fit(std::span<const CellResult> measured) const {
  const std::vector<BatchCosts> all = possible(measured);
  std::vector<double> misfits;
  for (const BatchCosts& costs : all) misfits.push_back(misfit(costs, measured));
  const auto best = std::min_element(misfits.begin(), misfits.end());
  return all[static_cast<std::size_t>(best - misfits.begin())];
}

// For a batch of workers the training thread may do all that a measured step took beyond the model.
std::vector<BatchCosts> InPlaceModel::possible(std::span<const CellResult> measured) const {
  std::vector<BatchCosts> all{seen_};
  if (seen_.host > 0.0) {
    all.push_back(seen_);
    std::swap(all.back().host, all.back().compute);
  }
  for (std::size_t i = 0, count = all.size(); i < count; ++i) {
    for (const CellResult& cell : measured) {
      if (cell.outcome != Outcome::kOk || !has_workers(cell)) continue;
      BatchCosts other = all[i];
      other.receive = step_time_of(cell) - replay_at(all[i], cell.settings).step_time;
      if (other.receive > 0.0) all.push_back(other);
    }
  }
  return all;
}

double InPlaceModel::misfit(const BatchCosts& costs, std::span<const CellResult> measured) const {
  double squares = 0.0;
  for (const CellResult& cell : measured) {
    if (cell.outcome != Outcome::kOk) continue;
    const double error = std::log(step_time_of(cell) / replay_at(costs, cell.settings).step_time);
    squares += error * error;
  }
  return squares;
}

ReplayedEpoch InPlaceModel::replay_at(const BatchCosts& costs, const Settings& settings) const {
  const LoopSettings loop = loop_settings(settings);
  return replay(costs, cores_, loop, steady_course(loop, 60));
}

}  // namespace feedrate
