// SPDX-License-Identifier: Apache-2.0
#include "training/watched_training.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace feedrate {
namespace {

constexpr double kGrowth = 0.1;  // Growth of the wait, as a share of a step.
// Marks arrive each half second; requests are read as soon.
constexpr double kSecondsToReach = 1.5;
constexpr double kLargePart = 0.1;       // Share of a step that another loader of it takes.
constexpr std::size_t kStepsAfter = 50;  // After a tuning, to measure the other loaders.

// `present` with the workers that it has now.
const WatchedLoader& with_present_workers(const Watch& watch, const WatchedLoader& present) {
  for (const WatchedLoader& watched : watch.loaders()) {
    if (watched.is_current && is_one_loader(watched, present)) return watched;
  }
  return present;
}

std::size_t most_allowed(const Watch& watch, const WatchedLoader& loader) {
  const std::optional<ScriptLimit>& limit = watch.remarks(loader).limit;
  return limit ? limit->most_outstanding : std::numeric_limits<std::size_t>::max();
}

}  // namespace

void WatchedTraining::add(std::size_t connection, const ScriptMessage& message) {
  watch_.add(connection, message);
  const auto* const failed = std::get_if<ScriptSwitchFailed>(&message);
  // The failure of an earlier request does not concern the present one.
  if (failed != nullptr && failed->request == requests_) problem_ = failed->problem;
  if (const auto* const loader = std::get_if<ScriptLoader>(&message)) {
    if (!tunings_.empty() && is_one_loader(*loader, tunings_.back().present().loader)) {
      has_successor_ = true;
    }
  }
}

void WatchedTraining::advance() {
  const std::string problem = std::exchange(problem_, {});
  const bool has_successor = std::exchange(has_successor_, false);
  if (tunings_.empty()) return begin_first();
  for (InPlaceTuner& one : tunings_) one.update_group(watch_);
  InPlaceTuner& tuning = tunings_.back();
  if (!problem.empty()) {
    window_.reset();
    tuning.fail(problem, watch_);
  } else if (has_successor && tuning.wanted() != 0) {
    send(tuning.settings(tuning.wanted()));  // It begins with the script's own settings.
  }
  if (give_up_beyond_limit(tuning)) return;
  if (!tuning.is_over()) {
    request(tuning.advance(watch_));
    if (tuning.is_over()) note_parts(tuning);
    return;
  }
  if (const WatchedLoader* const part = next_part()) return begin(*part, part_begin(*part));
  if (const WatchedLoader* const now = tuning.current(watch_)) tune_again(*now);
}

void WatchedTraining::begin_first() {
  const WatchedLoader* const first = main();
  if (first == nullptr || !budget_of(first->loader)) return;
  if (is_ready_to_tune(*first, options_.aims) && why_not_tuned().empty()) begin(*first);
}

bool WatchedTraining::give_up_beyond_limit(InPlaceTuner& tuning) {
  const ScriptLoader& wanted = tuning.settings(tuning.wanted());
  if (tuning.wanted() == 0) return false;
  if (most_outstanding(wanted) <= most_allowed(watch_, tuning.present())) return false;
  give_up(watch_.remarks(tuning.present()).limit->why);
  return true;
}

const WatchedLoader* WatchedTraining::main() const {
  const WatchedLoader* const asked = watch_.main_loader(true);
  return asked == nullptr ? watch_.main_loader() : asked;
}

void WatchedTraining::give_up(const std::string& problem) {
  window_.reset();
  if (!tunings_.empty()) send(*tunings_.back().give_up(problem));
}

bool WatchedTraining::is_changed() const {
  return !tunings_.empty() && !(tunings_.size() == 1 && tunings_.back().wanted() == 0);
}

bool WatchedTraining::is_over() const {
  if (!tunings_.empty()) return tunings_.back().is_over() && !awaits_part();
  const WatchedLoader* const only = main();
  if (only == nullptr || only->kept < kStepsForVerdict) return false;
  return !budget_of(only->loader) || !why_not_tuned().empty();
}

std::string WatchedTraining::why_not_tuned() const {
  const WatchedLoader* const only = main();
  if (only == nullptr || !tunings_.empty() || !budget_of(only->loader)) return {};
  return why_not(*only);
}

std::string WatchedTraining::why_not(const WatchedLoader& loader) const {
  if (!loader.loader.why_fixed.empty()) return loader.loader.why_fixed;
  if (in_place_candidates(loader, most_allowed(watch_, loader)).size() == 1) {
    const std::optional<ScriptLimit>& limit = watch_.remarks(loader).limit;
    if (limit) return limit->why;
  }
  const std::size_t ranks = watch_.targets(loader).size();
  if (ranks < loader.loader.ranks) {
    return fmt::format(
        "{} of {} ranks are watched: all ranks must change together, on one machine, below one "
        "feedrate run",
        ranks, loader.loader.ranks);
  }
  return {};
}

std::optional<double> WatchedTraining::budget_of(const ScriptLoader& loader) const {
  if (loader.budget) return loader.budget;
  return options_.tunes ? std::optional(options_.aims.bound) : std::nullopt;
}

// Ranks share the CPUs of their machine, unless each has its own, and those of a quota.
std::size_t WatchedTraining::share_of_cpus(const WatchedLoader& of) const {
  const std::size_t cpus = watch_.process(of.connection).cpus;
  const std::vector<Watch::Target> ranks = watch_.targets(of);
  const bool has_quota = cpus < watch_.process(of.connection).affinity.size();
  std::set<std::size_t> all;
  std::size_t sum = 0;
  for (const Watch::Target& target : ranks) {
    const std::vector<std::size_t>& affinity = watch_.process(target.connection).affinity;
    if (affinity.empty() || has_quota) return std::max<std::size_t>(1, cpus / ranks.size());
    all.insert(affinity.begin(), affinity.end());
    sum += affinity.size();
  }
  if (sum == all.size()) return cpus;
  return std::max<std::size_t>(1, all.size() / ranks.size());
}

void WatchedTraining::begin(const WatchedLoader& now, const LoaderTotals& begin) {
  InPlaceAims aims = options_.aims;
  aims.bound = budget_of(now.loader).value_or(aims.bound);
  InPlaceTuner::Limits limits;
  limits.most_outstanding = most_allowed(watch_, now);
  limits.cpus = share_of_cpus(now);
  if (options_.most_workers_now) {
    limits.most_workers = [this] {
      return options_.most_workers_now(with_present_workers(watch_, tunings_.back().present()));
    };
  }
  tunings_.emplace_back(now, aims, begin, std::move(limits));
  window_.reset();
  stall_.reset();
}

// The times of other loaders while the tuned one was slower are not comparable.
void WatchedTraining::note_parts(const InPlaceTuner& tuning) {
  const WatchedLoader* const now = tuning.current(watch_);
  over_at_steps_ = now == nullptr ? 0 : now->sums.steps;
  parts_.clear();
  if (now == nullptr) return;
  for (const WatchedPart& part : now->parts) {
    parts_.emplace_back(part.loader, LoaderTotals(*part.loader));
  }
}

LoaderTotals WatchedTraining::part_begin(const WatchedLoader& part) const {
  const auto noted = std::find_if(parts_.begin(), parts_.end(),
                                  [&](const auto& one) { return one.first == &part; });
  return noted == parts_.end() ? LoaderTotals{} : noted->second;
}

bool WatchedTraining::is_left(const StepPart& part, const WaitVerdict& verdict) const {
  const bool is_known = std::any_of(tunings_.begin(), tunings_.end(), [&](const InPlaceTuner& one) {
    return is_one_loader(one.present(), *part.loader);
  });
  return !is_known && part.loading > kLargePart * verdict.times.step() &&
         budget_of(part.loader->loader) && why_not(*part.loader).empty();
}

bool WatchedTraining::awaits_part() const {
  const WatchedLoader* const now = tunings_.back().current(watch_);
  const std::optional<WaitVerdict> verdict = now == nullptr ? std::nullopt : judge(*now);
  return verdict && tunings_.back().why_given_up().empty() &&
         std::any_of(verdict->parts.begin(), verdict->parts.end(),
                     [&](const StepPart& part) { return is_left(part, *verdict); });
}

const WatchedLoader* WatchedTraining::next_part() const {
  const WatchedLoader* const now = tunings_.back().current(watch_);
  if (now == nullptr || now->parts.empty() || !tunings_.back().why_given_up().empty()) {
    return nullptr;
  }
  if (now->sums.steps < over_at_steps_ + kStepsAfter) return nullptr;
  const std::optional<WaitVerdict> verdict = judge(*now);
  if (!verdict) return nullptr;
  for (const StepPart& part : verdict->parts) {
    const bool is_next = is_left(part, *verdict) &&
                         is_ready_to_tune(*part.loader, options_.aims, part_begin(*part.loader));
    if (is_next) return part.loader;
  }
  return nullptr;
}

// Tunes again if the training waits longer than when the settings were chosen: the page cache may
// be full, or another job may share the machine.
void WatchedTraining::tune_again(const WatchedLoader& now) {
  if (!window_) {
    over_at_ = watch_.now();
    window_ = LoaderTotals(now);
  }
  if (now.sums.steps < window_->sums.steps + kStepsForVerdict) return;
  const LoaderTotals begin_of_window = std::exchange(*window_, LoaderTotals(now));
  const std::optional<WaitVerdict> verdict = judge(sums_since(now, begin_of_window));
  if (!verdict) return;
  if (!stall_) stall_ = verdict->stall;
  const bool has_grown = verdict->stall > *stall_ + kGrowth;
  const bool is_rested = watch_.now() - over_at_ >= options_.rest;
  if (has_grown && is_rested && is_ready_to_tune(now, options_.aims, begin_of_window)) {
    begin(now, begin_of_window);
  }
}

std::string WatchedTraining::why_refused(const ScriptLoader& settings) const {
  const WatchedLoader& present = tunings_.back().present();
  if (has_settings_of(settings, present.loader)) return {};
  if (most_outstanding(settings) > most_allowed(watch_, present)) {
    return watch_.remarks(present).limit->why;
  }
  if (!options_.why_no_memory) return {};
  return options_.why_no_memory(with_present_workers(watch_, present), settings);
}

void WatchedTraining::request(std::optional<ScriptLoader> settings) {
  while (settings) {
    const std::string problem = why_refused(*settings);
    if (problem.empty()) return send(*settings);
    settings = tunings_.back().refuse(problem, watch_);
  }
}

// Ranks switch at the same step, since each waits for the slowest one in every step.
void WatchedTraining::send(const ScriptLoader& settings) {
  watch_.expect(++requests_, settings,
                tunings_.back().is_over() ? SegmentUse::kKept : SegmentUse::kTrial);
  const WatchedLoader& present = tunings_.back().present();
  const std::vector<Watch::Target> targets = watch_.targets(present);
  std::size_t at = 0;
  if (targets.size() > 1) {
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
