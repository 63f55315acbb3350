// SPDX-License-Identifier: Apache-2.0
#include "training/watch.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "core/statistics.h"

namespace feedrate {
namespace {

// Of a long run the latest are kept: a mark takes some hundred bytes.
constexpr std::size_t kMostSteps = 100'000;
constexpr std::size_t kFewestDiscarded = 5;

bool is_same(const ScriptLoader& a, const ScriptLoader& b) {
  return a.site == b.site && a.dataset == b.dataset && a.batch_size == b.batch_size &&
         a.num_workers == b.num_workers && a.prefetch_factor == b.prefetch_factor &&
         a.pin_memory == b.pin_memory && a.persistent_workers == b.persistent_workers &&
         a.in_order == b.in_order && a.multiprocessing_context == b.multiprocessing_context;
}

void append(std::vector<StepMarks>& steps, Nanos loading, Nanos training, std::size_t samples) {
  if (steps.size() >= kMostSteps) {
    steps.erase(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(kMostSteps / 2));
  }
  StepMarks step;
  step.asked = steps.empty() ? Nanos(0) : steps.back().trained;
  step.loaded = step.asked + loading;
  step.copied = step.queued = step.launching = step.loaded;
  step.trained = step.launched = step.loaded + training;
  step.samples = samples;
  steps.push_back(step);
}

}  // namespace

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
            if (!span.idle || span.step < discarded_steps(watched.loader)) return;
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
            loaders_[place->index].copies = told.sites;
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
  place.index = static_cast<std::size_t>(same - loaders_.begin());
  if (same != loaders_.end()) {
    same->is_current = true;
    return;
  }
  WatchedLoader& added = loaders_.emplace_back();
  added.connection = connection;
  added.process = process;
  added.loader = loader;
}

void Watch::take(Place& place, const ScriptMark& mark) {
  WatchedLoader& watched = loaders_[place.index];
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
  if (watched.loader.num_workers == 0) {
    ++watched.fetched;
    watched.fetch_wall += to_seconds(mark.loaded - mark.asked);
    watched.fetch_cpu += to_seconds(mark.cpu);
  }
  place.last = mark;
}

void Watch::begin_epoch(Place& place, const ScriptMark& mark) {
  if (place.end) {
    loaders_[place.index].epoch_gaps.push_back(to_seconds(mark.asked - *place.end));
  }
  place.epoch_steps = 0;
  place.begin = mark;
  place.last.reset();
  place.end.reset();
}

void Watch::end_step(Place& place, Nanos now) {
  if (!place.last) return;
  WatchedLoader& watched = loaders_[place.index];
  const ScriptMark& mark = *place.last;
  const bool is_kept = place.epoch_steps++ >= discarded_steps(watched.loader);
  ++watched.steps;
  watched.seconds += to_seconds(now - mark.asked);
  if (is_kept && now >= mark.loaded) {
    append(watched.measurement.kept, mark.loaded - mark.asked, now - mark.loaded, mark.samples);
  }
  place.last.reset();
}

const WatchedLoader* Watch::main_loader() const {
  const WatchedLoader* best = nullptr;
  for (const WatchedLoader& watched : loaders_) {
    if (watched.process.rank != 0 || watched.measurement.kept.empty()) continue;
    if (best == nullptr || watched.seconds > best->seconds) best = &watched;
  }
  return best;
}

}  // namespace feedrate
