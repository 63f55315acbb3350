// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include "analysis/tuner/fit.h"
#include "analysis/tuner/rate_guess.h"
#include "analysis/tuner/settings.h"
#include "core/statistics.h"

namespace feedrate {
namespace {

using Loop = LoopSettings;
using Wanted = std::function<bool(const Loop&)>;

class Guess {
 public:
  Guess(std::span<const CellResult* const> measured, double cores) : measured_(measured) {
    model_.cores.count = cores;
    for (const CellResult* cell : measured_) {
      if (const double* time = find_metric(cell->metrics, "step_time")) {
        longest_step_ = std::max(longest_step_, *time);
      }
    }
  }

  FittedModel make() {
    if (has_rates_alone()) {
      guess_rates();
      return model_;
    }
    guess_device();
    guess_inline();
    guess_workers();
    guess_receiving();
    guess_epochs();
    return model_;
  }

 private:
  // Prefers the fewest workers.
  std::optional<double> find_figure(const char* tag, const Wanted& wanted) const {
    std::optional<double> found;
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (const CellResult* cell : measured_) {
      const Loop loop = loop_settings(cell->settings);
      const double* const value = find_metric(cell->metrics, tag);
      if (value == nullptr || !wanted(loop) || loop.num_workers >= fewest) continue;
      found = *value;
      fewest = loop.num_workers;
    }
    return found;
  }

  [[nodiscard]] bool has_rates_alone() const {
    constexpr const char* kParts[] = {"wait_time", "training_time", "fetch_time",
                                      "compute_time_device"};
    return longest_step_ > 0.0 &&
           std::none_of(std::begin(kParts), std::end(kParts), [&](const char* part) {
             return find_figure(part, [](const Loop&) { return true; }).has_value();
           });
  }

  // Workers beyond the cores wait part of the time.
  void guess_rates() {
    const RateCosts seen = guess_by_rates(measured_, model_.cores.count);
    BatchCosts& costs = model_.costs;
    for (const auto member :
         {&BatchCosts::dispatch, &BatchCosts::receive, &BatchCosts::pin, &BatchCosts::inline_pin,
          &BatchCosts::copy_pageable, &BatchCosts::copy_fresh, &BatchCosts::copy_pinned,
          &BatchCosts::host, &BatchCosts::release}) {
      costs.*member = at_least_small(0.0);
    }
    costs.inline_load = costs.worker_load = at_least_small(seen.load);
    costs.compute = seen.train;
    costs.cpu_share = std::clamp(model_.cores.count / seen.most_at_once, 0.02, 1.0);
    if (seen.lanes != model_.cores.count) model_.cores.lanes = seen.lanes;
    model_.training_is_known = seen.train_is_seen;
  }

  // Avoids 0 for costs that no probe shows, since they are fitted by factors.
  double at_least_small(double seconds) const { return std::max(seconds, 1e-3 * longest_step_); }

  void guess_device() {
    BatchCosts& costs = model_.costs;
    const auto trains = [](const Loop& loop) { return !loop.discard; };
    const auto training =
        find_figure("training_time", [](const Loop& l) { return !l.discard && !l.non_blocking; });
    costs.compute =
        find_figure("compute_time_device", trains)
            .value_or(training.value_or(find_figure("training_time", trains).value_or(0.0)));
    costs.host = at_least_small(training.value_or(0.0) - costs.compute);
    const auto pageable = find_figure("copy_time", [](const Loop& loop) {
      return !loop.discard && !loop.pin_memory && loop.num_workers == 0;
    });
    const auto fresh = find_figure("copy_time", [](const Loop& loop) {
      return is_real(loop) && !loop.pin_memory && loop.num_workers > 0;
    });
    const auto pinned = find_figure(
        "copy_time_device", [](const Loop& loop) { return !loop.discard && loop.pin_memory; });
    const double any = pageable.value_or(fresh.value_or(pinned.value_or(0.0)));
    costs.copy_pageable = at_least_small(any);
    costs.copy_fresh = at_least_small(fresh.value_or(any));
    costs.copy_pinned = at_least_small(pinned.value_or(any));
    const auto released = find_figure(
        "copy_time", [](const Loop& loop) { return loop.discard && loop.num_workers > 0; });
    costs.release = at_least_small(released.value_or(0.0));
    guess_waiting();
  }

  // With the mock loader, the host only launches, copies and waits.
  void guess_waiting() {
    const auto trains = [](const Loop& loop) { return loop.cached && !loop.discard; };
    const auto cpu = find_figure("cpu_time", trains), step = find_figure("step_time", trains);
    if (!cpu || !step) return;
    const double work = model_.costs.host + model_.costs.copy_pageable;
    const double waits = *step - work;
    if (!(waits > 0.0)) return;
    const double batch = batch_size_of(measured_.front()->settings);
    model_.costs.device_wait_cpu = std::clamp((*cpu * batch - work) / waits, 0.0, 1.0);
  }

  void guess_inline() {
    const auto loads = [](bool pinned) {
      return [=](const Loop& loop) {
        return !loop.cached && loop.num_workers == 0 && loop.pin_memory == pinned;
      };
    };
    const auto plain = find_figure("wait_time", loads(false));
    const auto pinned = find_figure("wait_time", loads(true));
    inline_known_ = plain || pinned;
    model_.costs.inline_load = at_least_small(plain.value_or(pinned.value_or(0.0)));
    model_.costs.inline_pin =
        at_least_small(pinned.value_or(0.0) - plain.value_or(pinned.value_or(0.0)));
    collect_shape(loads(false));
  }

  void collect_shape(const Wanted& wanted) {
    std::vector<double> times;
    for (const CellResult* cell : measured_) {
      if (!wanted(loop_settings(cell->settings))) continue;
      for (const Repeat& repeat : cell->repeats) {
        const auto series = repeat.series.find("loading_time");
        if (series == repeat.series.end()) continue;
        times.insert(times.end(), series->second.begin(), series->second.end());
      }
    }
    const double average = mean(times);
    if (!(average > 0.0)) return;
    for (double& time : times) time = std::isfinite(time) ? time / average : 1.0;
    model_.costs.shape = std::move(times);
  }

  // Uses a worker whose queue is always full: W workers take W times the step.
  std::optional<double> seen_worker_load() const {
    const auto workers = [](const Loop& loop) { return loop.num_workers == 1; };
    const auto limit =
        find_figure("step_time", [&](const Loop& l) { return workers(l) && l.discard; });
    if (limit) return limit;
    const auto wait =
        find_figure("wait_time", [&](const Loop& l) { return workers(l) && is_real(l); });
    const auto step =
        find_figure("step_time", [&](const Loop& l) { return workers(l) && is_real(l); });
    const bool is_late = wait && step && *wait > 0.1 * *step;
    return is_late ? step : std::nullopt;
  }

  std::optional<double> stage_times() const {
    double sum = 0.0;
    const auto any = [](const Loop& loop) { return loop.num_workers > 0; };
    for (const char* tag : {"read_time", "decode_time", "transform_time", "fetch_time"}) {
      sum += find_figure(tag, any).value_or(0.0);
    }
    return sum > 0.0 ? std::optional(sum * batch_size_of(measured_.front()->settings))
                     : std::nullopt;
  }

  void guess_workers() {
    BatchCosts& costs = model_.costs;
    const auto load = seen_worker_load();
    costs.worker_load = load.value_or(stage_times().value_or(costs.inline_load));
    if (!inline_known_) costs.inline_load = at_least_small(costs.worker_load);
    const auto only_loads = [](const Loop& l) { return l.discard && l.num_workers <= 1; };
    const auto cpu = find_figure("cpu_time", only_loads);
    const auto step = find_figure("step_time", only_loads);
    if (cpu && step && *step > 0.0) {
      const double share = *cpu * batch_size_of(measured_.front()->settings) / *step;
      costs.cpu_share = std::clamp(share, 0.02, 1.0);
    } else if (const auto share_of_fetches = cpu_share_of_fetches()) {
      costs.cpu_share = *share_of_fetches;
    } else if (const auto share_of_real = cpu_share_of_real_cells()) {
      costs.cpu_share = *share_of_real;
    }
    guess_lanes();
  }

  std::optional<double> cpu_share_of_fetches() const {
    const auto wall = find_figure("fetch_time", is_real),
               cpu = find_figure("fetch_cpu_time", is_real);
    if (!wall || !cpu || !(*wall > 0.0)) return std::nullopt;
    return std::clamp(*cpu / *wall, 0.02, 1.0);
  }

  std::optional<double> cpu_share_of_real_cells() const {
    const BatchCosts& costs = model_.costs;
    std::optional<double> least;
    for (const CellResult* cell : measured_) {
      const Loop loop = loop_settings(cell->settings);
      const double* const cpu = find_metric(cell->metrics, "cpu_time");
      const double load = loop.num_workers == 0 ? costs.inline_load : costs.worker_load;
      if (!is_real(loop) || cpu == nullptr || !(*cpu > 0.0) || !(load > 0.0)) continue;
      const double own = costs.host + costs.copy_pageable + costs.device_wait_cpu * costs.compute;
      const double share =
          std::clamp((*cpu * batch_size_of(cell->settings) - own) / load, 0.02, 1.0);
      least = std::min(least.value_or(share), share);
    }
    return least;
  }

  // Sets no limit if the most probed workers scale.
  void guess_lanes() {
    constexpr double kScales = 0.8;
    double most = 1.0, made = 0.0;
    for (const CellResult* cell : measured_) {
      const Loop loop = loop_settings(cell->settings);
      const double* const step = find_metric(cell->metrics, "step_time");
      const auto workers = static_cast<double>(loop.num_workers);
      if (!loop.discard || workers < 2.0 || step == nullptr || !(*step > 0.0)) continue;
      made = std::max(made, model_.costs.worker_load / *step);
      most = std::max(most, workers);
    }
    if (made > 0.0 && made < kScales * most) model_.cores.lanes = std::max(1.0, made);
  }

  static double wait_for_workers(const CellResult& cell, const Loop& loop) {
    const double* const fetch = find_metric(cell.metrics, "fetch_time");
    const double* const training = find_metric(cell.metrics, "training_time");
    if (fetch == nullptr || training == nullptr) return 0.0;
    const double batch = *fetch * batch_size_of(cell.settings);
    return std::max(0.0, batch / static_cast<double>(loop.num_workers) - *training);
  }

  void guess_receiving() {
    double wait = std::numeric_limits<double>::infinity();
    for (const CellResult* cell : measured_) {
      const Loop loop = loop_settings(cell->settings);
      const double* const found = find_metric(cell->metrics, "wait_time");
      if (found == nullptr || !is_real(loop) || loop.num_workers == 0) continue;
      wait = std::min(wait, *found - wait_for_workers(*cell, loop));
    }
    const double known = std::isfinite(wait) ? std::max(0.0, wait) : 0.0;
    model_.costs.receive = at_least_small(known / 2.0);
    model_.costs.dispatch = at_least_small(known / 2.0);
    model_.costs.pin =
        at_least_small(std::max(model_.costs.inline_pin, cpu_of_pinning().value_or(0.0)));
  }

  // Batches of workers are in memory new to the pin thread.
  std::optional<double> cpu_of_pinning() const {
    const auto made = find_figure("cpu_time", [](const Loop& loop) {
      return loop.discard && loop.num_workers > 0 && !loop.pin_memory;
    });
    const auto pinned = find_figure("cpu_time", [](const Loop& loop) {
      return is_real(loop) && loop.num_workers > 0 && loop.pin_memory;
    });
    // Subtracts the mock loader's cell, whose host spins as well.
    const auto trained =
        find_figure("cpu_time", [](const Loop& loop) { return loop.cached && loop.pin_memory; });
    if (!made || !pinned || !trained) return std::nullopt;
    return (*pinned - *made - *trained) * batch_size_of(measured_.front()->settings);
  }

  // Solves first_batch_time = W·worker_start + first_task + worker_load for two values of W.
  void guess_epochs() {
    std::vector<double> workers, times;
    for (const CellResult* cell : measured_) {
      const Loop loop = loop_settings(cell->settings);
      const double* const first = find_metric(cell->metrics, "first_batch_time_cold");
      if (first == nullptr || loop.cached || loop.num_workers == 0) continue;
      workers.push_back(static_cast<double>(loop.num_workers));
      times.push_back(*first);
    }
    if (times.empty()) return;
    const auto [few, many] = std::minmax_element(workers.begin(), workers.end());
    const double at_few = times[static_cast<std::size_t>(few - workers.begin())];
    const double at_many = times[static_cast<std::size_t>(many - workers.begin())];
    BatchCosts& costs = model_.costs;
    if (*many > *few) costs.worker_start = std::max(0.0, (at_many - at_few) / (*many - *few));
    costs.first_task = std::max(0.0, at_few - *few * costs.worker_start - costs.worker_load);
  }

  std::span<const CellResult* const> measured_;
  FittedModel model_;
  double longest_step_ = 0.0;
  bool inline_known_ = false;
};

}  // namespace

FittedModel first_guess(std::span<const CellResult* const> measured, double cores) {
  return Guess(measured, cores).make();
}

}  // namespace feedrate
