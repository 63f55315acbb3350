// SPDX-License-Identifier: Apache-2.0
#include "training/watch.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

namespace feedrate {
namespace {

constexpr std::size_t kMostObjects = 4;   // Of a loader, whose late messages are still used.
constexpr std::size_t kMostRemarks = 16;  // Sentences of a loader.

bool is_same(const ScriptLoader& a, const ScriptLoader& b) {
  return is_one_loader(a, b) && a.batch_size == b.batch_size && has_settings_of(a, b);
}

template <typename Message>
constexpr bool kIsOfProcess =
    std::is_same_v<Message, ScriptProcess> || std::is_same_v<Message, ScriptLoader>;

template <typename Message>
constexpr bool kHasRows =
    std::is_same_v<Message, ScriptMarks> || std::is_same_v<Message, ScriptSpans> ||
    std::is_same_v<Message, ScriptFetches>;

}  // namespace

void Watch::add(std::size_t connection, const ScriptMessage& message) {
  const auto use = [&](const auto& one) {
    if (Place* const place = find(connection, one.loader)) take(*place, one);
  };
  std::visit(
      [&](const auto& one) {
        using Message = std::decay_t<decltype(one)>;
        if constexpr (kIsOfProcess<Message>) {
          take(connection, one);
        } else if constexpr (kHasRows<Message>) {
          for (const auto& row : one) use(row);
        } else if constexpr (!std::is_same_v<Message, ScriptEnd>) {
          use(one);
        }
      },
      message);
}

Watch::Place* Watch::find(std::size_t connection, std::size_t number) {
  const auto group = groups_.find({connection, number});
  return group == groups_.end() ? nullptr : &places_.at({connection, group->second});
}

void Watch::take(std::size_t connection, const ScriptLoader& loader) {
  if (loader.ranks > 1) processes_[connection].rank = loader.rank;
  Place& place = places_[{connection, loader.group}];
  place.key = {connection, loader.group};
  place.own = loader;
  if (place.numbers.empty() || place.numbers.back() != loader.number) {
    place.numbers.push_back(loader.number);
    groups_[{connection, loader.number}] = loader.group;
    place.batches = 0;
    place.audited_before = place.remarks.audited;
  }
  if (place.numbers.size() > kMostObjects) {
    groups_.erase({connection, place.numbers.front()});
    place.numbers.erase(place.numbers.begin());
  }
  // The last step of the previous object ends where an epoch of this one begins.
  change(place, {.settings = loader});
}

void Watch::take(Place& place, const ScriptFetch& fetch) {
  WatchedLoader& watched = place.log.cell();
  watched.add_fetch(fetch.wall, fetch.cpu);
  // Forked workers of trials are no descendants of the script (python/feedrate/trial_workers.py).
  const bool is_trial = !has_settings_of(watched.loader, place.own);
  if (is_trial && start_method(watched.loader) == "fork") hidden_cpu_ += to_seconds(fetch.cpu);
}

void Watch::take(Place& place, const ScriptSwitchFailed& failed) {
  if (const auto request = requests_.find(failed.request); request != requests_.end()) {
    place.log.fail(request->second, failed.problem);
  }
  place.log.drop_step();
  place.neighbors.clear();
  change(place, {.settings = place.own});
}

void Watch::take(Place& place, const ScriptAudit& audit) {
  place.remarks.audited = place.audited_before + audit.identical;
  if (place.remarks.difference.empty()) place.remarks.difference = audit.difference;
}

void Watch::take(Place& place, const ScriptNote& note) {
  std::vector<std::string>& notes = place.remarks.notes;
  const bool is_known = std::find(notes.begin(), notes.end(), note.text) != notes.end();
  if (!is_known && notes.size() < kMostRemarks) notes.push_back(note.text);
}

void Watch::change(Place& place, const SettingRequest& request) {
  place.log.change(cell_of(place.key.first, request.settings), request);
}

WatchedLoader& Watch::cell_of(std::size_t connection, const ScriptLoader& loader) {
  const ScriptProcess& process = processes_[connection];
  const auto same = std::find_if(loaders_.begin(), loaders_.end(), [&](const WatchedLoader& known) {
    return known.process.id == process.id && is_same(known.loader, loader);
  });
  if (same != loaders_.end()) return *same;
  WatchedLoader& added = loaders_.emplace_back();
  added.connection = connection;
  added.process = process;
  added.loader = loader;
  return added;
}

void Watch::take(Place& place, const ScriptMark& mark) {
  now_ = std::max(now_, mark.loaded);
  const bool ends_step = mark.kind == ScriptMark::Kind::kBegin ||
                         mark.kind == ScriptMark::Kind::kEnd ||
                         mark.kind == ScriptMark::Kind::kBatch;
  if (ends_step) end_step(place, mark.asked);
  switch (mark.kind) {
    case ScriptMark::Kind::kBegin:
      place.log.begin_epoch(mark);
      return visit_others(place, mark.asked, std::nullopt);
    case ScriptMark::Kind::kEnd:
      return place.log.end_epoch(mark);
    case ScriptMark::Kind::kLeft:
      return place.log.leave_epoch(mark.loaded - mark.asked);
    case ScriptMark::Kind::kBatch:
      ++place.batches;
      place.log.add_batch(mark);
      return visit_others(place, mark.asked, to_seconds(place.log.step()->loading));
    case ScriptMark::Kind::kSwitched:
      const auto found = requests_.find(mark.request);
      if (found == requests_.end()) return;
      SettingRequest request = found->second;
      request.settings.batch_size = place.own.batch_size;
      request.settings.length = place.own.length;
      // The step that is under way belongs to neither setting.
      place.log.drop_step();
      place.neighbors.clear();
      change(place, request);
      ++place.log.cell().switches.count;
  }
}

// The batch, or begin, came in a gap of the other loaders of the thread.
void Watch::visit_others(const Place& place, Nanos at, std::optional<double> loading) {
  for (auto other = places_.lower_bound({place.key.first, 0});
       other != places_.end() && other->first.first == place.key.first; ++other) {
    Place& visited = other->second;
    const bool has_gap = visited.log.step() && visited.log.thread() == place.log.thread();
    if (&visited == &place || !has_gap) continue;
    visited.neighbors.add(place.key, place.log.cell(), at, loading);
  }
}

void Watch::end_step(Place& place, Nanos now) {
  const std::optional<StepLog::Step>& step = place.log.step();
  if (!step) return;
  if (now < step->mark.loaded) return place.log.drop_step();
  place.log.end_step(end_of_training(place, now), now);
  share_group_size(place);
}

// The training of a step ends before the first batch of a loader that is no part of the step.
Nanos Watch::end_of_training(Place& place, Nanos now) {
  const StepLog::Step& step = *place.log.step();
  const bool is_kept = step.fate != StepFate::kDiscarded;
  Nanos end = now;
  for (const Neighbors::Visit& visit : place.neighbors.end_gap(now)) {
    if (!is_part(visit, place.neighbors, places_.at(visit.key).neighbors, place.key)) {
      end = std::min(end, std::max(visit.first, step.mark.loaded));
    } else if (is_kept) {
      add_part(*step.cell, visit);
    }
  }
  if (is_kept) {
    for (WatchedPart& part : step.cell->parts) ++part.steps;
  }
  return end;
}

// The number of batches of a step depends on the loop, not on settings: once known, it holds for
// all settings.
void Watch::share_group_size(const Place& place) {
  const WatchedLoader& current = place.log.cell();
  if (current.batches_per_step == place.log.batches_per_step()) return;
  for (WatchedLoader& watched : loaders_) {
    if (watched.connection == current.connection && is_one_loader(watched.loader, current.loader)) {
      watched.batches_per_step = place.log.batches_per_step();
    }
  }
}

// Ranks run the same script, but not each of them makes each of its loaders.
std::vector<Watch::Target> Watch::targets(const WatchedLoader& of) const {
  const ScriptLoader& loader = of.loader;
  const auto is_counterpart = [&](const ScriptLoader& other) {
    return other.site == loader.site && other.dataset == loader.dataset &&
           other.sampler == loader.sampler;
  };
  std::map<std::size_t, Target> newest;
  for (const auto& [key, place] : places_) {
    const bool is_own = key == LoaderKey{of.connection, loader.group};
    const ScriptProcess& process = processes_.at(key.first);
    const bool is_other =
        key.first != of.connection && process.rank != of.process.rank && is_counterpart(place.own);
    if (is_own || is_other) newest[process.rank] = {key.first, place.numbers.back(), place.batches};
  }
  std::vector<Target> all;
  for (const auto& [rank, target] : newest) all.push_back(target);
  return all;
}

}  // namespace feedrate
