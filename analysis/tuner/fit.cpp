// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "analysis/noise.h"
#include "analysis/tuner/least_squares.h"
#include "analysis/tuner/settings.h"

namespace feedrate {
namespace {

constexpr std::size_t kSteps = 60;  // Default of a sweep.

// Assumed relative errors: noise between starts, and the poorer agreement of a step's parts.
constexpr double kStepDeviation = 0.02;
constexpr double kPartDeviation = 0.06;
// Relative to CPU time plus step, since CPU time has parts without a cost in the model.
constexpr double kCpuDeviation = 0.03;
// The prior: a factor of e from the first guess is one deviation.
constexpr double kPriorDeviation = 1.0;

constexpr std::array<double BatchCosts::*, 11> kFitted{
    &BatchCosts::inline_load,   &BatchCosts::worker_load, &BatchCosts::dispatch,
    &BatchCosts::receive,       &BatchCosts::pin,         &BatchCosts::inline_pin,
    &BatchCosts::copy_pageable, &BatchCosts::copy_fresh,  &BatchCosts::copy_pinned,
    &BatchCosts::host,          &BatchCosts::release};

struct Observation {
  LoopSettings settings;
  double step_time;
  const double* wait_time;
  const double* copy_time;
  std::optional<double> cpu_time;
};

std::vector<Observation> observe(std::span<const CellResult* const> measured) {
  std::vector<Observation> observations;
  for (const CellResult* cell : measured) {
    const double* const step = find_metric(cell->metrics, "step_time");
    if (step == nullptr || !(*step > 0.0)) continue;
    const LoopSettings settings = loop_settings(cell->settings);
    const double* const cpu = find_metric(cell->metrics, "cpu_time");
    observations.push_back(
        {settings, *step, find_metric(cell->metrics, "wait_time"),
         find_metric(cell->metrics, "copy_time"),
         cpu && *cpu > 0.0 ? std::optional(*cpu * samples_a_step(*cell)) : std::nullopt});
  }
  return observations;
}

// Logarithms, since costs are positive and fitted by factors.
std::vector<double> to_parameters(const FittedModel& model) {
  std::vector<double> parameters;
  for (const auto member : kFitted) parameters.push_back(std::log(model.costs.*member));
  if (std::isfinite(model.cores.lanes)) parameters.push_back(std::log(model.cores.lanes));
  return parameters;
}

FittedModel with_parameters(FittedModel model, std::span<const double> parameters) {
  // Avoids an overflow of exp().
  const auto value = [&](std::size_t i) {
    return std::exp(std::clamp(parameters[i], -40.0, 20.0));
  };
  for (std::size_t i = 0; i < kFitted.size(); ++i) model.costs.*kFitted[i] = value(i);
  if (parameters.size() > kFitted.size()) model.cores.lanes = value(kFitted.size());
  return model;
}

void add_residuals(std::vector<double>& residuals, const Observation& seen,
                   const ReplayedEpoch& replayed) {
  residuals.push_back(std::log(replayed.step_time / seen.step_time) / kStepDeviation);
  const double unit = kPartDeviation * seen.step_time;
  residuals.push_back(seen.wait_time ? (replayed.wait_time - *seen.wait_time) / unit : 0.0);
  residuals.push_back(seen.copy_time ? (replayed.copy_time - *seen.copy_time) / unit : 0.0);
  residuals.push_back(seen.cpu_time ? (replayed.cpu_time - *seen.cpu_time) /
                                          (kCpuDeviation * (*seen.cpu_time + seen.step_time))
                                    : 0.0);
}

std::vector<const CellResult*> spread_of(std::span<const CellResult* const> cells,
                                         std::size_t most) {
  if (cells.size() <= most) return {cells.begin(), cells.end()};
  std::vector<std::pair<LoopSettings, const CellResult*>> sorted;
  for (const CellResult* cell : cells) sorted.emplace_back(loop_settings(cell->settings), cell);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const CellResult*> spread;
  for (std::size_t i = 0; i < most; ++i) {
    spread.push_back(sorted[i * (sorted.size() - 1) / (most - 1)].second);
  }
  return spread;
}

// Each kind shows other costs.
std::vector<const CellResult*> observable(std::span<const CellResult* const> measured) {
  constexpr std::size_t kMostCells = 64, kMostOfAKind = 20;
  std::vector<const CellResult*> kinds[3], cells;
  for (const CellResult* cell : measured) {
    if (cell->outcome != Outcome::kOk) continue;
    const LoopSettings loop = loop_settings(cell->settings);
    kinds[loop.cached ? 0 : loop.discard ? 1 : 2].push_back(cell);
    cells.push_back(cell);
  }
  if (cells.size() <= kMostCells) return cells;
  cells.clear();
  for (const auto& kind : kinds) {
    const auto some = spread_of(kind, kMostOfAKind);
    cells.insert(cells.end(), some.begin(), some.end());
  }
  return cells;
}

}  // namespace

FittedModel fit_model(std::span<const CellResult* const> measured, double cores) {
  const std::vector<const CellResult*> ok = observable(measured);
  const FittedModel guess = first_guess(ok, cores);
  const std::vector<Observation> observations = observe(ok);
  const std::vector<double> start = to_parameters(guess);
  const auto residuals = [&](std::span<const double> parameters) {
    const FittedModel model = with_parameters(guess, parameters);
    std::vector<double> values;
    for (const Observation& seen : observations) {
      add_residuals(values, seen, predict(model, seen.settings));
    }
    for (std::size_t i = 0; i < start.size(); ++i) {
      values.push_back((parameters[i] - start[i]) / kPriorDeviation);
    }
    return values;
  };
  constexpr double kDifference = 0.02;
  constexpr std::size_t kIterations = 8;
  return with_parameters(guess, least_squares(residuals, start, kDifference, kIterations));
}

bool can_predict(std::span<const CellResult* const> measured, const LoopSettings& wanted) {
  bool loads = wanted.cached, trains = wanted.discard;
  for (const CellResult* cell : measured) {
    const LoopSettings loop = loop_settings(cell->settings);
    loads = loads || !loop.cached;
    trains = trains || !loop.discard;
  }
  return loads && trains;
}

ReplayedEpoch predict(const FittedModel& model, const LoopSettings& settings) {
  return replay(model.costs, model.cores, settings, steady_epoch(settings, kSteps));
}

double rate_in(const FittedModel& model, const Settings& settings) {
  return global_batch_size(settings) / predict(model, loop_settings(settings)).step_time;
}

}  // namespace feedrate
