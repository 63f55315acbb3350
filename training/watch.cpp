// SPDX-License-Identifier: Apache-2.0
#include "training/watch.h"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/statistics.h"

namespace feedrate {
namespace {

// Of a long run the latest are kept: a mark takes some hundred bytes.
constexpr std::size_t kMostSteps = 100'000;
constexpr std::size_t kMostSteady = 8'192;
constexpr std::size_t kLatestEpochs = 1'024;
constexpr std::size_t kMostNotes = 4'096;   // Of batches, for their spans.
constexpr std::size_t kMostObjects = 4;     // Of a loader, whose late messages are still taken.
constexpr std::size_t kMostRemarks = 16;    // Sentences of a loader.
constexpr std::size_t kMostNeighbors = 64;  // Other loaders whose batches are counted.
// Of another loader in one gap, before it is known how often it comes.
constexpr std::size_t kFewAtFirst = 2;
constexpr std::size_t kKnownSteps = 3;

bool is_same(const ScriptLoader& a, const ScriptLoader& b) {
  return is_one_loader(a, b) && a.batch_size == b.batch_size && has_settings_of(a, b);
}

// Keeps the first one and the latest.
template <typename Value>
void append_bounded(std::vector<Value>& values, const Value& value, std::size_t most) {
  if (values.size() >= most) {
    values.erase(values.begin() + 1, values.begin() + static_cast<std::ptrdiff_t>(most / 2));
  }
  values.push_back(value);
}

// Keeps the latest. Returns how many were forgotten.
std::size_t append(std::vector<StepMarks>& steps, const StepMarks& marks, std::size_t most) {
  std::size_t forgotten = 0;
  if (steps.size() >= most) {
    forgotten = most / 2;
    steps.erase(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(forgotten));
  }
  const Nanos shift = (steps.empty() ? Nanos(0) : steps.back().trained) - marks.asked;
  StepMarks& step = steps.emplace_back(marks);
  step.asked += shift;
  step.loaded += shift;
  step.copied = step.queued = step.launching = step.loaded;
  step.trained += shift;
  step.launched = step.trained;
  return forgotten;
}

StepMarks marks_of(double loading, double training, std::size_t samples) {
  StepMarks marks;
  marks.loaded = from_seconds(loading);
  marks.trained = marks.loaded + from_seconds(training);
  marks.samples = samples;
  return marks;
}

}  // namespace

void Watch::add(std::size_t connection, const ScriptMessage& message) {
  const auto use_each = [&](const auto& rows, const auto& use) {
    for (const auto& row : rows) {
      if (Place* const place = find(connection, row.loader)) use(*place, row);
    }
  };
  const auto use_one = [&](const auto& told, const auto& use) {
    if (Place* const place = find(connection, told.loader)) use(*place);
  };
  std::visit(
      [&](const auto& told) {
        using Told = std::decay_t<decltype(told)>;
        if constexpr (std::is_same_v<Told, ScriptProcess>) {
          processes_[connection] = told;
        } else if constexpr (std::is_same_v<Told, ScriptLoader>) {
          take(connection, told);
        } else if constexpr (std::is_same_v<Told, ScriptMarks>) {
          use_each(told,
                   [&](Place& place, const ScriptMark& mark) { take(connection, place, mark); });
        } else if constexpr (std::is_same_v<Told, ScriptSpans>) {
          use_each(told, [&](Place& place, const ScriptSpan& span) { add_span(place, span); });
        } else if constexpr (std::is_same_v<Told, ScriptFetches>) {
          use_each(told, [&](Place& place, const ScriptFetch& fetch) {
            WatchedLoader& watched = loaders_[place.index];
            ++watched.fetched;
            watched.fetch_wall += to_seconds(fetch.wall);
            watched.fetch_cpu += to_seconds(fetch.cpu);
            if (is_by_hidden_workers(place, watched.loader)) hidden_cpu_ += to_seconds(fetch.cpu);
          });
        } else if constexpr (std::is_same_v<Told, ScriptCopies>) {
          use_one(told, [&](Place& place) { loaders_[place.index].copies = told; });
        } else if constexpr (std::is_same_v<Told, ScriptWorkers>) {
          use_one(told, [&](Place& place) { loaders_[place.index].workers = told.processes; });
        } else if constexpr (std::is_same_v<Told, ScriptLimit>) {
          use_one(told, [&](Place& place) { place.remarks.limit = told; });
        } else if constexpr (std::is_same_v<Told, LoaderEvidence>) {
          use_one(told, [&](Place& place) { loaders_[place.index].evidence += told.evidence; });
        } else if constexpr (std::is_same_v<Told, ScriptSwitchFailed>) {
          use_one(told, [&](Place& place) { take(connection, place, told); });
        } else if constexpr (std::is_same_v<Told, ScriptAudit> ||
                             std::is_same_v<Told, ScriptNote>) {
          use_one(told, [&](Place& place) { take(place, told); });
        }
      },
      message);
}

// Those of trials, where they are forked (python/feedrate/trial_workers.py).
bool Watch::is_by_hidden_workers(const Place& place, const ScriptLoader& loader) {
  return !has_settings_of(loader, place.own) && start_method(loader) == "fork";
}

Watch::Place* Watch::find(std::size_t connection, std::size_t number) {
  const auto group = groups_.find({connection, number});
  return group == groups_.end() ? nullptr : &places_.at({connection, group->second});
}

void Watch::take(std::size_t connection, const ScriptLoader& loader) {
  if (loader.ranks > 1) processes_[connection].rank = loader.rank;
  const Key key{connection, loader.group};
  const bool is_new = places_.find(key) == places_.end();
  Place& place = places_[key];
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
  if (is_new) {
    place.course = course_.add_loader(processes_[connection], loader);
    place.index = loaders_.size();
  }
  // The last step of the object before ends where an epoch of this one begins.
  const std::optional<Step> last = place.last;
  std::vector<Visit> visits = place.visits;
  change(connection, place, loader, 0, SegmentUse::kOwn);
  place.last = last;
  place.visits = std::move(visits);
}

void Watch::take(std::size_t connection, Place& place, const ScriptSwitchFailed& failed) {
  if (const auto request = requests_.find(failed.request); request != requests_.end()) {
    course_.fail(place.course, request->second.settings, failed.request, request->second.use,
                 failed.problem);
  }
  change(connection, place, place.own, 0, SegmentUse::kOwn);
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

const Watch::Remarks& Watch::remarks(const WatchedLoader& of) const {
  return places_.at({of.connection, of.loader.group}).remarks;
}

std::size_t Watch::index_of(std::size_t connection, const ScriptLoader& loader) {
  const ScriptProcess& process = processes_[connection];
  const auto same = std::find_if(loaders_.begin(), loaders_.end(), [&](const WatchedLoader& known) {
    return known.process.id == process.id && is_same(known.loader, loader);
  });
  const auto index = static_cast<std::size_t>(same - loaders_.begin());
  if (same != loaders_.end()) return index;
  WatchedLoader& added = loaders_.emplace_back();
  added.connection = connection;
  added.process = process;
  added.loader = loader;
  return index;
}

// The step that is under way at a switch belongs to neither setting, and the next ones take what
// was prefetched.
void Watch::change(std::size_t connection, Place& place, const ScriptLoader& loader,
                   std::size_t request, SegmentUse use) {
  if (place.index < loaders_.size()) loaders_[place.index].is_current = false;
  place.index = index_of(connection, loader);
  WatchedLoader& watched = loaders_[place.index];
  watched.is_current = true;
  watched.thread = place.thread;
  watched.batches_per_step = place.groups.size();
  watched.resumed = watched.forgotten + watched.steady.size();
  course_.change(place.course, loader, request, use);
  place.last.reset();
  place.visits.clear();
  place.block = {};
  place.phase = Phase::kSwitched;
  place.phase_steps = 0;
  place.unkept = discarded_steps(loader);
}

void Watch::take(std::size_t connection, Place& place, const ScriptMark& mark) {
  now_ = std::max(now_, mark.loaded);
  switch (mark.kind) {
    case ScriptMark::Kind::kBegin:
      end_step(connection, place, mark.asked);  // An epoch that was left.
      begin_epoch(place, mark);
      visit_others(connection, place, mark.asked, std::nullopt);
      return;
    case ScriptMark::Kind::kEnd: {
      end_step(connection, place, mark.asked);
      return end_epoch(place, mark);
    }
    case ScriptMark::Kind::kLeft:
      if (place.last) place.last->left += mark.loaded - mark.asked;
      return;
    case ScriptMark::Kind::kBatch:
      end_step(connection, place, mark.asked);
      return add_batch(connection, place, mark);
    case ScriptMark::Kind::kSwitched:
      const auto request = requests_.find(mark.request);
      if (request == requests_.end()) return;
      ScriptLoader settings = request->second.settings;
      settings.batch_size = place.own.batch_size;
      settings.length = place.own.length;
      change(connection, place, settings, mark.request, request->second.use);
      ++loaders_[place.index].switches.count;
  }
}

void Watch::begin_epoch(Place& place, const ScriptMark& mark) {
  WatchedLoader& watched = loaders_[place.index];
  if (place.end) {
    append_bounded(watched.epoch_gaps, to_seconds(mark.asked - *place.end), kLatestEpochs);
  }
  place.phase = place.epochs == 0 ? Phase::kFirstEpoch : Phase::kEpoch;
  place.phase_steps = 0;
  place.unkept = place.phase == Phase::kFirstEpoch ? discarded_steps(watched.loader) : 0;
  place.epoch = mark.epoch;
  place.epoch_batches = 0;
  place.is_after_pause = false;
  place.thread = watched.thread = mark.thread;
  place.groups.begin();
  place.begin = mark;
  place.last.reset();
  place.end.reset();
}

// Workers stop at an epoch's end, which the training waits for as for their start.
void Watch::end_epoch(Place& place, const ScriptMark& mark) {
  WatchedLoader& watched = loaders_[place.index];
  std::vector<EpochMarks>& epochs = watched.measurement.epochs;
  if (!epochs.empty()) epochs.back().end = mark.loaded - mark.asked;
  place.end = mark.loaded;
  if (place.epoch_batches == 0) return;
  const double seconds = to_seconds(mark.loaded - mark.asked);
  watched.first_batches.loading += seconds;
  place.block.loading += seconds;
  place.block.first_batches += seconds;
  (place.epochs == 1 ? watched.first_start : watched.epoch_starts).seconds += seconds;
}

void Watch::add_batch(std::size_t connection, Place& place, const ScriptMark& mark) {
  WatchedLoader& watched = loaders_[place.index];
  Step step{.mark = mark, .loading = mark.loaded - mark.asked, .index = place.index};
  if (const auto begin = std::exchange(place.begin, std::nullopt)) {
    step.is_first = true;
    ++place.epochs;
    step.loading += begin->loaded - begin->asked;
    append_bounded(watched.measurement.epochs,
                   {mark.loaded - begin->asked, std::nullopt, begin->asked}, kLatestEpochs);
    watched.first_batches += {.loading = to_seconds(step.loading), .epochs = 1};
    course_.add_epoch(place.course, {begin->asked, mark.loaded});
  }
  step.is_kept = place.unkept == 0;
  step.is_steady =
      place.phase_steps >= (place.phase == Phase::kPaused ? most_outstanding(watched.loader)
                                                          : discarded_steps(watched.loader));
  ++watched.batches;
  ++place.batches;
  if (watched.loader.num_workers == 0 && mark.cpu) {
    ++watched.fetched;
    watched.fetch_wall += to_seconds(mark.loaded - mark.asked);
    watched.fetch_cpu += to_seconds(*mark.cpu);
  }
  place.notes.push_back({mark.loader, mark.epoch, place.epoch_batches++, mark.asked, place.index,
                         step.is_kept && !place.is_after_pause});
  if (place.notes.size() > kMostNotes) place.notes.pop_front();
  place.is_after_pause = false;
  place.last = step;
  visit_others(connection, place, mark.asked, to_seconds(step.loading));
}

// To the other loaders of the thread this batch, or begin, came in the gap after their last one.
void Watch::visit_others(std::size_t connection, const Place& place, Nanos at,
                         std::optional<double> loading) {
  const Key own{connection, place.own.group};
  for (auto other = places_.lower_bound({connection, 0});
       other != places_.end() && other->first.first == connection; ++other) {
    Place& visited = other->second;
    if (other->first == own || !visited.last || visited.thread != place.thread) continue;
    auto visit = std::find_if(visited.visits.begin(), visited.visits.end(),
                              [&](const Visit& one) { return one.key == own; });
    if (visit == visited.visits.end()) {
      if (visited.visits.size() == kMostNeighbors) continue;
      visited.visits.push_back({.key = own, .first = at});
      visit = visited.visits.end() - 1;
    }
    visit->index = place.index;
    if (loading) ++visit->batches;
    visit->loading += loading.value_or(0.0);
  }
}

bool Watch::is_part(const Key& of, const Visit& visit) const {
  const auto regular = [&](const Key& one, const Key& other) {
    const auto& known = places_.at(one).interleaved;
    const auto found = known.find(other);
    if (found == known.end() || found->second.steps() < kKnownSteps) return std::optional<bool>();
    return std::optional(found->second.is_regular());
  };
  const std::optional<bool> there = regular(of, visit.key), back = regular(visit.key, of);
  if (there.value_or(false) || back.value_or(false)) return true;
  return (!there || !back) && visit.batches <= kFewAtFirst;
}

void Watch::count_visits(Place& place) {
  for (const Visit& visit : place.visits) {
    if (place.interleaved.size() < kMostNeighbors) place.interleaved[visit.key];
  }
  for (auto& [key, interleaving] : place.interleaved) {
    const auto visit = std::find_if(place.visits.begin(), place.visits.end(),
                                    [&, &key = key](const Visit& one) { return one.key == key; });
    interleaving.add(visit == place.visits.end() ? 0 : visit->batches);
  }
}

void Watch::add_part(WatchedLoader& watched, const Visit& visit) {
  const WatchedLoader* const other = &loaders_[visit.index];
  auto part = std::find_if(watched.parts.begin(), watched.parts.end(), [&](const WatchedPart& one) {
    return is_one_loader(one.loader->loader, other->loader);
  });
  if (part == watched.parts.end()) part = watched.parts.insert(part, WatchedPart{});
  part->loader = other;
  part->loading += visit.loading;
}

// When the training of a step was over: before the first batch of a loader that is no part of it.
Nanos Watch::end_of_training(const Key& own, Place& place, const Step& step, Nanos now) {
  // What a loader takes from another one for its own next batch comes after the gap.
  std::erase_if(place.visits, [&](const Visit& visit) { return visit.first >= now; });
  count_visits(place);
  WatchedLoader& watched = loaders_[step.index];
  Nanos end = now;
  for (const Visit& visit : place.visits) {
    if (!is_part(own, visit)) {
      end = std::min(end, std::max(visit.first, step.mark.loaded));
    } else if (step.is_kept) {
      add_part(watched, visit);
    }
  }
  place.visits.clear();
  if (step.is_kept) {
    for (WatchedPart& part : watched.parts) ++part.steps;
  }
  return end;
}

Watch::Gap Watch::gap_of(const Key& own, Place& place, const Step& step, Nanos now) {
  const Nanos end = end_of_training(own, place, step, now);
  const double training = to_seconds(std::max(Nanos(0), end - step.mark.loaded - step.left));
  if (end < now) return {training, to_seconds(now - end)};
  const PauseDetector::Gap found = place.pauses.add(to_seconds(step.loading), training);
  place.block.training += found.regained;
  loaders_[step.index].paused -= found.regained;
  return {training - found.paused, found.paused};
}

void Watch::end_step(std::size_t connection, Place& place, Nanos now) {
  if (!place.last) return;
  Step step = *std::exchange(place.last, std::nullopt);
  if (now < step.mark.loaded) return;
  const Gap gap = gap_of({connection, place.own.group}, place, step, now);
  step.loading += step.left;
  add_to_group(place, gap.training);
  log(place, step, gap);
}

// How many batches a step has is the loop's doing, whatever the settings: what is learnt late holds
// for those before, too.
void Watch::add_to_group(Place& place, double training) {
  place.groups.add(training);
  const WatchedLoader& current = loaders_[place.index];
  if (current.batches_per_step == place.groups.size()) return;
  for (WatchedLoader& watched : loaders_) {
    if (watched.connection == current.connection && is_one_loader(watched.loader, current.loader)) {
      watched.batches_per_step = place.groups.size();
    }
  }
}

void Watch::log(Place& place, const Step& step, const Gap& gap) {
  WatchedLoader& watched = loaders_[step.index];
  const double loading = to_seconds(step.loading);
  ++watched.steps;
  watched.seconds += (step.is_first ? 0.0 : loading) + gap.training;
  watched.paused += gap.paused;
  if (step.is_first) ++start_of(place, watched).count;
  const std::size_t block = block_of(watched.loader, watched.batches_per_step);
  if (step.is_kept) {
    append(watched.measurement.kept, marks_of(loading, gap.training, step.mark.samples),
           kMostSteps);
    place.block += {1, loading, gap.training, step.is_first ? loading : 0.0, step.is_first};
    // Whole groups, also before their size is known.
    if (place.block.steps >= block && !place.groups.is_open()) {
      watched.sums += std::exchange(place.block, {});
    }
  } else if (place.unkept > 1 || (place.unkept == 1 && !place.groups.is_open())) {
    --place.unkept;
  }
  if (step.is_steady && gap.paused == 0.0) {
    watched.forgotten +=
        append(watched.steady, marks_of(loading, gap.training, step.mark.samples), kMostSteady);
  } else if (!step.is_steady && place.phase != Phase::kPaused) {
    StartSums& start = start_of(place, watched);
    ++start.steps;
    start.seconds += loading + gap.training;
  }
  course_.add_step(place.course, {.begin = step.mark.loaded - step.loading,
                                  .end = step.mark.loaded + from_seconds(gap.training),
                                  .loading = loading,
                                  .training = gap.training,
                                  .samples = step.mark.samples,
                                  .turn = block,
                                  .is_kept = step.is_kept});
  ++place.phase_steps;
  if (gap.paused == 0.0) return;
  place.phase = Phase::kPaused;  // The workers have gone on: as at an epoch's begin.
  place.phase_steps = 0;
  place.is_after_pause = true;
  watched.resumed = watched.forgotten + watched.steady.size();
}

StartSums& Watch::start_of(const Place& place, WatchedLoader& watched) {
  return place.phase == Phase::kFirstEpoch ? watched.first_start
         : place.phase == Phase::kEpoch    ? watched.epoch_starts
                                           : watched.switches;
}

void Watch::add_span(Place& place, const ScriptSpan& span) {
  const auto note = std::find_if(place.notes.rbegin(), place.notes.rend(), [&](const Note& one) {
    return one.loader == span.loader && one.epoch == span.epoch && one.number == span.step;
  });
  if (note == place.notes.rend() || !span.idle) return;
  const double idle = to_seconds(*span.idle), busy = to_seconds(span.busy);
  course_.add_gpu(place.course, note->asked, idle, busy);
  if (!note->is_kept) return;
  WatchedLoader& watched = loaders_[note->index];
  ++watched.gpu_steps;
  watched.gpu_idle += idle;
  watched.gpu_busy += busy;
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
    const bool is_own = key == Key{of.connection, loader.group};
    const ScriptProcess& process = processes_.at(key.first);
    const bool is_other =
        key.first != of.connection && process.rank != of.process.rank && is_counterpart(place.own);
    if (is_own || is_other) newest[process.rank] = {key.first, place.numbers.back(), place.batches};
  }
  std::vector<Target> all;
  for (const auto& [rank, target] : newest) all.push_back(target);
  return all;
}

const WatchedLoader* Watch::main_loader(bool asked) const {
  std::map<std::pair<pid_t, std::size_t>, double> seconds;  // Of a loader at all of its settings.
  const auto seconds_of = [&](const WatchedLoader& one) -> double& {
    return seconds[{one.process.id, one.loader.group}];
  };
  for (const WatchedLoader& watched : loaders_) {
    seconds_of(watched) += watched.seconds + watched.first_batches.loading;
  }
  const auto may_be = [&](const WatchedLoader& one) {
    return one.process.rank == 0 && !one.measurement.kept.empty() && (!asked || one.loader.budget);
  };
  const WatchedLoader* best = nullptr;
  for (const WatchedLoader& watched : loaders_) {
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
