// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/changed_world.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/noise.h"
#include "analysis/tuner/settings.h"

namespace feedrate {
namespace {

Cores with_cores(const FittedModel& model, double count, std::size_t most_workers) {
  Cores cores{count, model.cores.lanes};
  if (!std::isfinite(cores.lanes)) return cores;
  const double by_cores = model.cores.count / model.costs.cpu_share;
  const auto by_workers = static_cast<double>(most_workers);
  constexpr double kClearlyLower = 0.8;
  if (cores.lanes < kClearlyLower * std::min(by_cores, by_workers)) return cores;
  cores.lanes = by_workers < by_cores ? std::numeric_limits<double>::infinity()
                                      : cores.lanes * count / model.cores.count;
  return cores;
}

FittedModel without_making(FittedModel model) {
  model.costs.inline_load = model.costs.worker_load = 0.0;
  return model;
}

FittedModel without_handing_over(FittedModel model) {
  model.costs.dispatch = model.costs.receive = 0.0;
  model.costs.pin = model.costs.inline_pin = 0.0;
  return model;
}

FittedModel without_copy(FittedModel model) {
  model.costs.copy_pageable = model.costs.copy_fresh = model.costs.copy_pinned = 0.0;
  return model;
}

double saved(const FittedModel& less, const LoopSettings& settings, double step) {
  return 1.0 - predict(less, settings).step_time / step;
}

Bottleneck greatest_cost(const FittedModel& model, const LoopSettings& settings, double step,
                         double stall) {
  const double making = saved(without_making(model), settings, step);
  const double handing_over = saved(without_handing_over(model), settings, step);
  const double copy = saved(without_copy(model), settings, step);
  if (copy > std::max(making, handing_over)) return Bottleneck::kCopy;
  if (stall <= kBalance) return Bottleneck::kBalanced;
  if (handing_over > making) return Bottleneck::kTransport;
  const double reading =
      std::isfinite(model.read_share) ? model.read_share : 1.0 - model.costs.cpu_share;
  return reading > 0.5 ? Bottleneck::kStorage : Bottleneck::kDecode;
}

bool is_enough(FittedModel model, LoopSettings settings, std::size_t cores,
               std::size_t most_workers) {
  model = in_world(model, {.cores = static_cast<double>(cores)}, most_workers);
  settings.num_workers = std::max(settings.num_workers, cores);
  const double step = predict(model, settings).step_time;
  return saved(without_making(model), settings, step) <= kNothingToWin;
}

}  // namespace

FittedModel in_world(FittedModel model, const World& world, std::size_t most_workers) {
  model.costs.compute /= world.gpu_speed;
  if (world.cores) model.cores = with_cores(model, *world.cores, most_workers);
  return model;
}

FittedModel mix_caches(const FittedModel& cold, const FittedModel& warm, double cached) {
  const auto mean = [&](double of_cold, double of_warm) {
    return (1.0 - cached) * of_cold + cached * of_warm;
  };
  const auto seconds_of_limit = [](const FittedModel& model) {
    return model.costs.worker_load / model.cores.lanes;
  };
  FittedModel mixed = cached < 0.5 ? cold : warm;
  BatchCosts& costs = mixed.costs;
  costs.inline_load = mean(cold.costs.inline_load, warm.costs.inline_load);
  costs.worker_load = mean(cold.costs.worker_load, warm.costs.worker_load);
  const double reading =
      mean(cold.costs.worker_load * cold.read_share, warm.costs.worker_load * warm.read_share);
  const double busy = mean(cold.costs.worker_load * cold.costs.cpu_share,
                           warm.costs.worker_load * warm.costs.cpu_share);
  if (costs.worker_load > 0.0) {
    costs.cpu_share = busy / costs.worker_load;
    mixed.read_share = reading / costs.worker_load;
  }
  const double limit = mean(seconds_of_limit(cold), seconds_of_limit(warm));
  mixed.cores.lanes =
      limit > 0.0 ? costs.worker_load / limit : std::numeric_limits<double>::infinity();
  return mixed;
}

StepLimit limit_in(const FittedModel& model, const LoopSettings& settings) {
  const double step = predict(model, settings).step_time;
  const FittedModel ideal = without_making(without_handing_over(without_copy(model)));
  const double stall = std::max(0.0, saved(ideal, settings, step));
  return {stall <= kNothingToWin ? Bottleneck::kGpu : greatest_cost(model, settings, step, stall),
          stall};
}

std::optional<std::size_t> enough_cores(const FittedModel& model, const LoopSettings& settings,
                                        std::size_t most_workers) {
  constexpr std::size_t kMost = 256;
  const auto suffices = [&](std::size_t cores) {
    return is_enough(model, settings, cores, most_workers);
  };
  std::size_t enough = 1;
  while (enough < kMost && !suffices(enough)) enough *= 2;
  if (!suffices(enough)) return std::nullopt;
  std::size_t too_few = enough / 2;
  while (enough - too_few > 1) {
    const std::size_t middle = (enough + too_few) / 2;
    (suffices(middle) ? enough : too_few) = middle;
  }
  return enough;
}

double Replays::step_time(const LoopSettings& settings) {
  const auto [found, is_new] = step_times_.try_emplace(settings);
  if (is_new) found->second = predict(model_, settings).step_time;
  return found->second;
}

double Replays::rate(const Settings& settings) {
  return global_batch_size(settings) / step_time(loop_settings(settings));
}

StepLimit Replays::limit(const LoopSettings& settings) {
  const auto [found, is_new] = limits_.try_emplace(settings);
  if (is_new) found->second = limit_in(model_, settings);
  return found->second;
}

}  // namespace feedrate
