// SPDX-License-Identifier: Apache-2.0
#include "training/watched_loader.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <utility>

namespace feedrate {
namespace {

constexpr std::size_t kFewestDiscarded = 5;
constexpr std::size_t kMostSteady = 8'192;

}  // namespace

LoaderTotals& LoaderTotals::operator-=(const LoaderTotals& other) {
  steps -= other.steps;
  kept -= other.kept;
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

void WatchedLoader::add_fetch(Nanos wall, Nanos cpu) {
  ++fetched;
  fetch_wall += to_seconds(wall);
  fetch_cpu += to_seconds(cpu);
}

bool is_one_loader(const ScriptLoader& a, const ScriptLoader& b) { return a.group == b.group; }

bool is_one_loader(const WatchedLoader& a, const WatchedLoader& b) {
  return a.process.id == b.process.id && is_one_loader(a.loader, b.loader);
}

bool has_settings_of(const ScriptLoader& a, const ScriptLoader& b) {
  return a.num_workers == b.num_workers && a.prefetch_factor == b.prefetch_factor &&
         a.pin_memory == b.pin_memory && a.persistent_workers == b.persistent_workers &&
         a.in_order == b.in_order && a.multiprocessing_context == b.multiprocessing_context;
}

std::vector<LoggedStep> steady_steps(const WatchedLoader& watched, std::size_t from,
                                     std::size_t to) {
  std::vector<LoggedStep> steady;
  const std::size_t first = watched.steps - watched.log.size();
  for (std::size_t i = std::min(to, watched.steps); i > std::max(from, first); --i) {
    const LoggedStep& step = watched.log[i - 1 - first];
    if (step.fate == StepFate::kSteady) steady.push_back(step);
    if (steady.size() == kMostSteady) break;
  }
  std::reverse(steady.begin(), steady.end());
  return steady;
}

WatchedLoader since(const WatchedLoader& now, const LoaderTotals& begin) {
  WatchedLoader rest = now;
  rest -= begin;
  const std::size_t left = std::min(rest.steps, rest.log.size());
  rest.log.erase(rest.log.begin(), rest.log.end() - static_cast<std::ptrdiff_t>(left));
  return rest;
}

WatchedLoader sums_since(const WatchedLoader& now, const LoaderTotals& begin) {
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

std::optional<StepTimes> steady_times(const WatchedLoader& watched,
                                      const std::vector<LoggedStep>& steady) {
  const std::size_t block = block_of(watched.loader, watched.batches_per_step);
  const std::size_t whole = steady.size() / block * block;
  if (whole == 0) return std::nullopt;
  Nanos loading{}, training{};
  for (const LoggedStep& step : std::span(steady).last(whole)) {
    loading += step.loading;
    training += step.training;
  }
  const auto steps = static_cast<double>(whole);
  return StepTimes{to_seconds(loading) / steps, to_seconds(training) / steps};
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
  // Nothing starts without workers; the first epoch is slow by what a script loads once.
  if (start.count == 0 || (!has_workers && &start != &watched.epoch_starts)) return 0.0;
  const double usual = static_cast<double>(start.steps) * step;
  return std::max(0.0, start.seconds - usual) / static_cast<double>(start.count);
}

const WatchedLoader* main_of(const std::deque<WatchedLoader>& loaders, bool asked) {
  std::map<std::pair<pid_t, std::size_t>, double> seconds;  // Of a loader at all of its settings.
  const auto seconds_of = [&](const WatchedLoader& one) -> double& {
    return seconds[{one.process.id, one.loader.group}];
  };
  for (const WatchedLoader& watched : loaders) {
    seconds_of(watched) += watched.seconds + watched.first_batches.loading;
  }
  const auto may_be = [&](const WatchedLoader& one) {
    return one.process.rank == 0 && one.kept > 0 && (!asked || one.loader.budget);
  };
  const WatchedLoader* best = nullptr;
  for (const WatchedLoader& watched : loaders) {
    if (!may_be(watched)) continue;
    const auto time_of = [&](const WatchedLoader& one) {
      return std::pair(seconds_of(one), one.seconds);
    };
    if (best == nullptr || time_of(watched) > time_of(*best)) best = &watched;
  }
  if (best == nullptr) return nullptr;
  const WatchedLoader* slowest = best;
  for (const WatchedPart& part : best->parts) {
    const bool is_slower = step_times(*part.loader).value_or(StepTimes{}).loading >
                           step_times(*slowest).value_or(StepTimes{}).loading;
    if (is_slower && may_be(*part.loader)) slowest = part.loader;
  }
  return slowest;
}

}  // namespace feedrate
