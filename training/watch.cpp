// SPDX-License-Identifier: Apache-2.0
#include "training/watch.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/statistics.h"

namespace feedrate {
namespace {

// Of a long run the latest are kept: a mark takes some hundred bytes.
constexpr std::size_t kMostSteps = 100'000;
constexpr std::size_t kFewestDiscarded = 5;
// Of the training of one step against the usual: an evaluation or a checkpoint.
constexpr double kPause = 20.0;
constexpr Nanos kShortestPause = std::chrono::milliseconds(200);
constexpr std::size_t kUsualSteps = 25;

bool is_same(const ScriptLoader& a, const ScriptLoader& b) {
  return is_one_loader(a, b) && a.num_workers == b.num_workers &&
         a.prefetch_factor == b.prefetch_factor && a.pin_memory == b.pin_memory &&
         a.persistent_workers == b.persistent_workers && a.in_order == b.in_order &&
         a.multiprocessing_context == b.multiprocessing_context;
}

void append(WatchedLoader& watched, Nanos loading, Nanos training, std::size_t samples) {
  std::vector<StepMarks>& steps = watched.measurement.kept;
  if (steps.size() >= kMostSteps) {
    steps.erase(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(kMostSteps / 2));
    watched.forgotten += kMostSteps / 2;
  }
  StepMarks step;
  step.asked = steps.empty() ? Nanos(0) : steps.back().trained;
  step.loaded = step.asked + loading;
  step.copied = step.queued = step.launching = step.loaded;
  step.trained = step.launched = step.loaded + training;
  step.samples = samples;
  steps.push_back(step);
}

// Seconds; of the latest kept steps.
std::optional<double> usual_training(const std::vector<StepMarks>& kept) {
  if (kept.empty()) return std::nullopt;
  std::vector<double> latest;
  for (std::size_t i = kept.size() - std::min(kept.size(), kUsualSteps); i < kept.size(); ++i) {
    latest.push_back(to_seconds(kept[i].trained - kept[i].loaded));
  }
  return median(latest);
}

}  // namespace

bool is_one_loader(const ScriptLoader& a, const ScriptLoader& b) {
  return a.site == b.site && a.dataset == b.dataset && a.sampler == b.sampler &&
         a.batch_size == b.batch_size && a.length == b.length;
}

StepsSoFar steps_so_far(const WatchedLoader& watched) {
  return {watched.forgotten + watched.measurement.kept.size(),
          watched.steps,
          watched.seconds,
          watched.fetched,
          watched.fetch_wall,
          watched.fetch_cpu,
          watched.gpu_busy.size()};
}

std::span<const StepMarks> kept_since(const WatchedLoader& now, const StepsSoFar& begin) {
  const std::vector<StepMarks>& kept = now.measurement.kept;
  const std::size_t before = begin.kept - std::min(begin.kept, now.forgotten);
  return std::span(kept).subspan(std::min(before, kept.size()));
}

WatchedLoader since(const WatchedLoader& now, const StepsSoFar& begin) {
  WatchedLoader rest = now;
  const auto drop = [](auto& values, std::size_t count) {
    values.erase(values.begin(),
                 values.begin() + static_cast<std::ptrdiff_t>(std::min(count, values.size())));
  };
  drop(rest.measurement.kept, now.measurement.kept.size() - kept_since(now, begin).size());
  drop(rest.gpu_idle, begin.gpu_steps);
  drop(rest.gpu_busy, begin.gpu_steps);
  rest.steps -= begin.steps;
  rest.seconds -= begin.seconds;
  rest.fetched -= begin.fetched;
  rest.fetch_wall -= begin.fetch_wall;
  rest.fetch_cpu -= begin.fetch_cpu;
  return rest;
}

std::size_t turn_of(const ScriptLoader& loader) {
  return std::max<std::size_t>(loader.num_workers, 1);
}

std::size_t most_outstanding(const ScriptLoader& loader) {
  return loader.num_workers * loader.prefetch_factor.value_or(2);
}

std::size_t discarded_steps(const ScriptLoader& loader) {
  const std::size_t wanted = std::max(most_outstanding(loader), kFewestDiscarded);
  return loader.length ? std::min(wanted, *loader.length / 2) : wanted;
}

std::optional<StepTimes> step_times(const WatchedLoader& watched) {
  const std::vector<StepMarks>& steps = watched.measurement.kept;
  const std::size_t turn = turn_of(watched.loader);
  const std::size_t turns = steps.size() / turn;
  if (turns == 0) return std::nullopt;
  std::vector<double> loading, training;
  const auto size = static_cast<double>(turn);
  for (std::size_t i = 0; i < turns; ++i) {
    Nanos loaded{}, trained{};
    for (std::size_t k = i * turn; k < (i + 1) * turn; ++k) {
      loaded += steps[k].loaded - steps[k].asked;
      trained += steps[k].trained - steps[k].loaded;
    }
    loading.push_back(to_seconds(loaded) / size);
    training.push_back(to_seconds(trained) / size);
  }
  return StepTimes{median(loading), median(training)};
}

void Watch::add(std::size_t connection, const ScriptMessage& message) {
  const auto each = [&](const auto& rows, const auto& use) {
    for (const auto& row : rows) {
      if (Place* const place = find(connection, row.loader)) use(*place, row);
    }
  };
  std::visit(
      [&](const auto& told) {
        using Told = std::decay_t<decltype(told)>;
        if constexpr (std::is_same_v<Told, ScriptProcess>) {
          processes_[connection] = told;
        } else if constexpr (std::is_same_v<Told, ScriptLoader>) {
          take(connection, told);
        } else if constexpr (std::is_same_v<Told, ScriptMarks>) {
          each(told, [&](Place& place, const ScriptMark& mark) {
            const auto request = requests_.find(mark.request);
            if (mark.kind != ScriptMark::Kind::kSwitched) {
              take(place, mark);
            } else if (request != requests_.end()) {
              set(connection, place, request->second);
            }
          });
        } else if constexpr (std::is_same_v<Told, ScriptSpans>) {
          each(told, [&](Place& place, const ScriptSpan& span) {
            WatchedLoader& watched = loaders_[place.index];
            const bool is_kept = span.epoch == place.epoch && span.step >= place.first_span;
            if (!span.idle || !is_kept) return;
            watched.gpu_idle.push_back(to_seconds(*span.idle));
            watched.gpu_busy.push_back(to_seconds(span.busy));
          });
        } else if constexpr (std::is_same_v<Told, ScriptFetches>) {
          each(told, [&](Place& place, const ScriptFetch& fetch) {
            WatchedLoader& watched = loaders_[place.index];
            ++watched.fetched;
            watched.fetch_wall += to_seconds(fetch.wall);
            watched.fetch_cpu += to_seconds(fetch.cpu);
          });
        } else if constexpr (std::is_same_v<Told, ScriptCopies>) {
          if (Place* const place = find(connection, told.loader)) {
            loaders_[place->index].copies = told;
          }
        } else if constexpr (std::is_same_v<Told, ScriptWorkers>) {
          if (Place* const place = find(connection, told.loader)) {
            loaders_[place->index].workers = told.processes;
          }
        } else if constexpr (std::is_same_v<Told, LoaderEvidence>) {
          if (Place* const place = find(connection, told.loader)) {
            loaders_[place->index].evidence += told.evidence;
          }
        } else if constexpr (std::is_same_v<Told, ScriptSwitchFailed>) {
          if (Place* const place = find(connection, told.loader)) {
            set(connection, *place, place->own);
          }
        }
      },
      message);
}

Watch::Place* Watch::find(std::size_t connection, std::size_t loader) {
  const auto found = places_.find({connection, loader});
  return found == places_.end() ? nullptr : &found->second;
}

void Watch::take(std::size_t connection, const ScriptLoader& loader) {
  Place& place = places_[{connection, loader.number}];
  place.own = loader;
  if (loader.ranks > 1) processes_[connection].rank = loader.rank;
  set(connection, place, loader);
}

void Watch::set(std::size_t connection, Place& place, const ScriptLoader& loader) {
  const ScriptProcess& process = processes_[connection];
  const auto same = std::find_if(loaders_.begin(), loaders_.end(), [&](const WatchedLoader& known) {
    return known.process.id == process.id && is_same(known.loader, loader);
  });
  if (place.index < loaders_.size()) loaders_[place.index].is_current = false;
  place.last.reset();     // At a switch, the step that is under way belongs to neither setting,
  place.epoch_steps = 0;  // and the next ones take what was prefetched.
  place.first_span = place.epoch_batches + discarded_steps(loader);
  place.index = static_cast<std::size_t>(same - loaders_.begin());
  if (same != loaders_.end()) {
    same->is_current = true;
    same->kept_before = same->forgotten + same->measurement.kept.size();
    return;
  }
  WatchedLoader& added = loaders_.emplace_back();
  added.connection = connection;
  added.process = process;
  added.loader = loader;
}

void Watch::take(Place& place, const ScriptMark& mark) {
  WatchedLoader& watched = loaders_[place.index];
  now_ = std::max(now_, mark.loaded);
  if (mark.kind == ScriptMark::Kind::kBegin) return begin_epoch(place, mark);
  end_step(place, mark.asked);
  if (mark.kind == ScriptMark::Kind::kEnd) {
    if (!watched.measurement.epochs.empty()) {
      watched.measurement.epochs.back().end = mark.loaded - mark.asked;
    }
    place.end = mark.loaded;
    return;
  }
  if (place.begin) {
    watched.measurement.epochs.push_back(
        {mark.loaded - place.begin->asked, std::nullopt, place.begin->asked});
    place.begin.reset();
  }
  ++watched.batches;
  ++place.batches;
  ++place.epoch_batches;
  if (watched.loader.num_workers == 0 && mark.cpu) {
    ++watched.fetched;
    watched.fetch_wall += to_seconds(mark.loaded - mark.asked);
    watched.fetch_cpu += to_seconds(*mark.cpu);
  }
  place.last = mark;
}

void Watch::begin_epoch(Place& place, const ScriptMark& mark) {
  if (place.end) {
    loaders_[place.index].epoch_gaps.push_back(to_seconds(mark.asked - *place.end));
  }
  place.epoch_steps = place.epoch_batches = 0;
  place.epoch = mark.epoch;
  place.first_span = discarded_steps(loaders_[place.index].loader);
  place.begin = mark;
  place.last.reset();
  place.end.reset();
}

void Watch::end_step(Place& place, Nanos now) {
  if (!place.last) return;
  WatchedLoader& watched = loaders_[place.index];
  const ScriptMark mark = *std::exchange(place.last, std::nullopt);
  const Nanos training = now - mark.loaded;
  const std::optional<double> usual = usual_training(watched.measurement.kept);
  const bool is_pause =
      usual && training >= kShortestPause && to_seconds(training) > kPause * *usual;
  const bool is_first = place.epoch_batches == 1;
  ++watched.steps;
  watched.seconds += (is_first ? 0.0 : to_seconds(mark.loaded - mark.asked)) +
                     (is_pause ? *usual : to_seconds(training));
  if (is_pause) {
    place.epoch_steps = 0;  // The workers have gone on: as at an epoch's begin.
    return;
  }
  const bool is_kept = place.epoch_steps++ >= discarded_steps(watched.loader);
  if (is_kept && now >= mark.loaded) {
    append(watched, mark.loaded - mark.asked, training, mark.samples);
  }
}

std::vector<Watch::Target> Watch::targets(const ScriptLoader& loader) const {
  std::map<std::size_t, Target> newest;
  for (const auto& [key, place] : places_) {
    if (!is_one_loader(place.own, loader)) continue;
    newest[processes_.at(key.first).rank] = {key.first, key.second, place.batches};
  }
  std::vector<Target> all;
  for (const auto& [rank, target] : newest) all.push_back(target);
  return all;
}

const WatchedLoader* Watch::main_loader(bool asked) const {
  const WatchedLoader* best = nullptr;
  for (const WatchedLoader& watched : loaders_) {
    if (watched.process.rank != 0 || watched.measurement.kept.empty()) continue;
    if (asked && !watched.loader.budget) continue;
    if (best == nullptr || watched.seconds > best->seconds) best = &watched;
  }
  return best;
}

}  // namespace feedrate
