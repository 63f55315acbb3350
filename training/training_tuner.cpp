// SPDX-License-Identifier: Apache-2.0
#include "training/training_tuner.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace feedrate {
namespace {

constexpr double kGrowth = 0.1;  // Of the wait, as a share of a step.
// Marks come each half second, and what is sent is read as soon.
constexpr double kSecondsToReach = 1.5;

// Ranks share the CPUs of their machine.
WatchedLoader with_share_of_cpus(WatchedLoader now, std::size_t ranks) {
  now.process.cpus = std::max<std::size_t>(1, now.process.cpus / std::max<std::size_t>(1, ranks));
  return now;
}

// `present` with the workers that it has now.
const WatchedLoader& with_present_workers(const Watch& watch, const WatchedLoader& present) {
  for (const WatchedLoader& watched : watch.loaders()) {
    if (watched.is_current && watched.process.id == present.process.id &&
        is_one_loader(watched.loader, present.loader)) {
      return watched;
    }
  }
  return present;
}

}  // namespace

void TrainingTuner::add(std::size_t connection, const ScriptMessage& message) {
  watch_.add(connection, message);
  course_.add(connection, message);
  const auto* const failed = std::get_if<ScriptSwitchFailed>(&message);
  // One that failed later, when another was asked for, says nothing of that.
  if (failed != nullptr && failed->request == requests_) problem_ = failed->problem;
}

void TrainingTuner::advance() {
  const std::string problem = std::exchange(problem_, {});
  if (tunings_.empty()) {
    const WatchedLoader* const first = main();
    if (first == nullptr || !is_ready_to_tune(*first, options_.aims)) return;
    if (budget_of(first->loader) && why_not_tuned().empty()) begin(*first);
    return;
  }
  InPlaceTuner& tuning = tunings_.back();
  if (!problem.empty()) {
    window_.reset();
    return request(tuning.fail(problem));
  }
  if (!tuning.is_over()) return request(tuning.advance(watch_));
  if (const WatchedLoader* const now = tuning.current(watch_)) look_again(*now);
}

const WatchedLoader* TrainingTuner::main() const {
  const WatchedLoader* const asked = watch_.main_loader(true);
  return asked == nullptr ? watch_.main_loader() : asked;
}

void TrainingTuner::give_up(const std::string& problem) {
  window_.reset();
  if (!tunings_.empty()) send(*tunings_.back().give_up(problem));
}

bool TrainingTuner::is_changed() const {
  return !tunings_.empty() && !(tunings_.size() == 1 && tunings_.back().wanted() == 0);
}

bool TrainingTuner::is_over() const {
  if (!tunings_.empty()) return tunings_.back().is_over();
  const WatchedLoader* const only = main();
  if (only == nullptr || only->measurement.kept.size() < kStepsForVerdict) return false;
  return !budget_of(only->loader) || !why_not_tuned().empty();
}

std::string TrainingTuner::why_not_tuned() const {
  const WatchedLoader* const only = main();
  if (only == nullptr || !tunings_.empty() || !budget_of(only->loader)) return {};
  if (!only->loader.why_fixed.empty()) return only->loader.why_fixed;
  const std::size_t ranks = watch_.targets(only->loader).size();
  if (ranks < only->loader.ranks) {
    return fmt::format(
        "{} of {} ranks are watched: all ranks must change together, on one machine, below one "
        "feedrate run",
        ranks, only->loader.ranks);
  }
  return {};
}

std::optional<double> TrainingTuner::budget_of(const ScriptLoader& loader) const {
  if (loader.budget) return loader.budget;
  return options_.tunes ? std::optional(options_.aims.bound) : std::nullopt;
}

void TrainingTuner::begin(const WatchedLoader& now, const StepsSoFar& begin) {
  InPlaceAims aims = options_.aims;
  aims.bound = budget_of(now.loader).value_or(aims.bound);
  const std::size_t ranks = watch_.targets(now.loader).size();
  tunings_.emplace_back(with_share_of_cpus(now, ranks), aims, begin);
  window_.reset();
  stall_.reset();
}

// Whether the loader waits for more than it did when the settings were chosen: the page cache is
// full, a neighbor came.
void TrainingTuner::look_again(const WatchedLoader& now) {
  if (!window_) {
    over_at_ = watch_.now();
    window_ = steps_so_far(now);
  }
  if (kept_since(now, *window_).size() < kStepsForVerdict) return;
  const WatchedLoader window = since(now, *window_);
  const StepsSoFar begin_of_window = std::exchange(*window_, steps_so_far(now));
  const std::optional<LoaderVerdict> verdict = judge(window);
  if (!verdict) return;
  if (!stall_) stall_ = verdict->stall;
  const bool has_grown = verdict->stall > *stall_ + kGrowth;
  if (has_grown && watch_.now() - over_at_ >= options_.rest) begin(now, begin_of_window);
}

void TrainingTuner::request(std::optional<ScriptLoader> settings) {
  while (settings) {
    const WatchedLoader& now = with_present_workers(watch_, tunings_.back().present());
    const std::string problem = options_.why_no_room ? options_.why_no_room(now, *settings) : "";
    if (problem.empty()) return send(*settings);
    settings = tunings_.back().fail(problem);
  }
}

// Ranks switch at the same step: each waits for the slowest one in every step.
void TrainingTuner::send(const ScriptLoader& settings) {
  watch_.expect(++requests_, settings);
  course_.expect(requests_, settings,
                 tunings_.back().is_over() ? SegmentUse::kKept : SegmentUse::kTrial);
  const std::vector<Watch::Target> targets = watch_.targets(settings);
  std::size_t at = 0;
  if (targets.size() > 1) {
    const WatchedLoader& present = tunings_.back().present();
    const double step =
        present.seconds / static_cast<double>(std::max<std::size_t>(1, present.steps));
    at = targets.front().batches + 1 + static_cast<std::size_t>(std::ceil(kSecondsToReach / step));
  }
  for (const Watch::Target& target : targets) {
    ScriptLoader to = settings;
    to.number = target.loader;
    options_.send(target.connection, switch_message(to, requests_, at));
  }
}

}  // namespace feedrate
