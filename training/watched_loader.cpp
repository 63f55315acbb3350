// SPDX-License-Identifier: Apache-2.0
#include "training/watched_loader.h"

#include <algorithm>
#include <numeric>

namespace feedrate {
namespace {

constexpr std::size_t kFewestDiscarded = 5;

StepTimes times_of(std::span<const StepMarks> steps) {
  Nanos loading{}, training{};
  for (const StepMarks& step : steps) {
    loading += step.loaded - step.asked;
    training += step.trained - step.loaded;
  }
  const auto count = static_cast<double>(steps.size());
  return {to_seconds(loading) / count, to_seconds(training) / count};
}

}  // namespace

LoaderTotals& LoaderTotals::operator-=(const LoaderTotals& other) {
  steps -= other.steps;
  seconds -= other.seconds;
  sums -= other.sums;
  paused -= other.paused;
  fetched -= other.fetched;
  fetch_wall -= other.fetch_wall;
  fetch_cpu -= other.fetch_cpu;
  gpu_steps -= other.gpu_steps;
  gpu_idle -= other.gpu_idle;
  gpu_busy -= other.gpu_busy;
  return *this;
}

bool is_one_loader(const ScriptLoader& a, const ScriptLoader& b) { return a.group == b.group; }

bool has_settings_of(const ScriptLoader& a, const ScriptLoader& b) {
  return a.num_workers == b.num_workers && a.prefetch_factor == b.prefetch_factor &&
         a.pin_memory == b.pin_memory && a.persistent_workers == b.persistent_workers &&
         a.in_order == b.in_order && a.multiprocessing_context == b.multiprocessing_context;
}

StepsSoFar steps_so_far(const WatchedLoader& watched) {
  return {watched, watched.forgotten + watched.steady.size()};
}

std::span<const StepMarks> steady_since(const WatchedLoader& now, const StepsSoFar& begin) {
  const std::size_t before = begin.steady - std::min(begin.steady, now.forgotten);
  return std::span(now.steady).subspan(std::min(before, now.steady.size()));
}

WatchedLoader since(const WatchedLoader& now, const StepsSoFar& begin) {
  WatchedLoader rest = now;
  rest -= begin;
  const auto drop = [](std::vector<StepMarks>& steps, std::size_t left) {
    steps.erase(steps.begin(),
                steps.end() - static_cast<std::ptrdiff_t>(std::min(left, steps.size())));
  };
  drop(rest.steady, steady_since(now, begin).size());
  if (begin.sums.steps > 0) drop(rest.measurement.kept, rest.sums.steps);
  return rest;
}

WatchedLoader sums_since(const WatchedLoader& now, const StepsSoFar& begin) {
  WatchedLoader rest;
  rest.process = now.process;
  rest.loader = now.loader;
  rest.thread = now.thread;
  rest.batches_per_step = now.batches_per_step;
  static_cast<LoaderTotals&>(rest) = now;
  rest -= begin;
  return rest;
}

std::string start_method(const ScriptLoader& loader) {
  return loader.multiprocessing_context.empty() ? "fork" : loader.multiprocessing_context;
}

std::size_t turn_of(const ScriptLoader& loader) {
  return std::max<std::size_t>(loader.num_workers, 1);
}

std::size_t block_of(const ScriptLoader& loader, std::size_t batches_per_step) {
  return std::lcm(turn_of(loader), std::max<std::size_t>(1, batches_per_step));
}

std::size_t most_outstanding(const ScriptLoader& loader) {
  return loader.num_workers * loader.prefetch_factor.value_or(2);
}

std::size_t discarded_steps(const ScriptLoader& loader) {
  const std::size_t wanted = std::max(most_outstanding(loader), kFewestDiscarded);
  return loader.length ? std::min(wanted, *loader.length / 2) : wanted;
}

std::optional<StepTimes> step_times(const WatchedLoader& watched) {
  const StepSums& sums = watched.sums;
  if (sums.steps == 0) return std::nullopt;
  const auto steps = static_cast<double>(sums.steps);
  return StepTimes{sums.loading / steps, sums.training / steps};
}

std::optional<StepTimes> steady_times(const WatchedLoader& watched) {
  const std::size_t block = block_of(watched.loader, watched.batches_per_step);
  const std::size_t whole = watched.steady.size() / block * block;
  if (whole == 0) return std::nullopt;
  return times_of(std::span(watched.steady).last(whole));
}

std::optional<double> epoch_length(const WatchedLoader& watched) {
  const std::size_t epochs = watched.first_batches.epochs;
  if (epochs >= 2) {  // The last one may be under way.
    return static_cast<double>(watched.batches) / static_cast<double>(epochs);
  }
  return watched.loader.length ? std::optional(static_cast<double>(*watched.loader.length))
                               : std::nullopt;
}

double start_seconds(const WatchedLoader& watched, double step) {
  const bool has_workers = watched.loader.num_workers > 0;
  const StartSums& start = watched.epoch_starts.count > 0 ? watched.epoch_starts
                           : watched.switches.count > 0   ? watched.switches
                                                          : watched.first_start;
  // Without workers nothing starts; what is slow in the first epoch is what a script loads once.
  if (start.count == 0 || (!has_workers && &start != &watched.epoch_starts)) return 0.0;
  const double usual = static_cast<double>(start.steps) * step;
  return std::max(0.0, start.seconds - usual) / static_cast<double>(start.count);
}

}  // namespace feedrate
