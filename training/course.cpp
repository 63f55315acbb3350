// SPDX-License-Identifier: Apache-2.0
#include "training/course.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "training/results.h"
#include "training/watch.h"

namespace feedrate {
namespace {

constexpr std::size_t kMostSegments = 100;
constexpr std::size_t kMostEpochs = 300;
constexpr std::size_t kMostLoaders = 8;

bool is_same(const RecordedLoader& known, const ScriptProcess& process, const ScriptLoader& other) {
  return known.process == process.id && is_one_loader(known.own, other);
}

bool has_turns(const RecordedLoader& loader) {
  return std::any_of(loader.segments.begin(), loader.segments.end(),
                     [](const RecordedSegment& segment) { return !segment.turns.empty(); });
}

Nanos first_time(const RecordedLoader& loader) {
  const Nanos begin = loader.segments.front().begin;
  return loader.epochs.empty() ? begin : std::min(begin, loader.epochs.front().begin);
}

}  // namespace

void CourseRecorder::expect(std::size_t number, const ScriptLoader& settings, SegmentUse use) {
  requests_[number] = {settings, use};
}

void CourseRecorder::add(std::size_t connection, const ScriptMessage& message) {
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
          each(told, [&](Place& place, const ScriptMark& mark) { take(place, mark); });
        } else if constexpr (std::is_same_v<Told, ScriptSpans>) {
          each(told,
               [&](Place& place, const ScriptSpan& span) { loaders_[place.index].add(span); });
        } else if constexpr (std::is_same_v<Told, ScriptSwitchFailed>) {
          if (Place* const place = find(connection, told.loader)) take(*place, told);
        }
      },
      message);
}

CourseRecorder::Place* CourseRecorder::find(std::size_t connection, std::size_t loader) {
  const auto found = places_.find({connection, loader});
  return found == places_.end() ? nullptr : &found->second;
}

void CourseRecorder::take(std::size_t connection, const ScriptLoader& loader) {
  const ScriptProcess& process = processes_[connection];
  if (process.rank != 0) return;
  const auto known = std::find_if(loaders_.begin(), loaders_.end(), [&](const RecordedLoader& one) {
    return is_same(one, process, loader);
  });
  Place& place = places_[{connection, loader.number}];
  place.index = static_cast<std::size_t>(known - loaders_.begin());
  place.own = loader;
  set(place, loader, 0, SegmentUse::kOwn);
  if (known == loaders_.end()) loaders_.push_back({process.id, loader});
}

// The step that is under way belongs to neither setting, and the next ones take what was
// prefetched.
void CourseRecorder::set(Place& place, const ScriptLoader& loader, std::size_t request,
                         SegmentUse use) {
  place.now = {.loader = loader, .settings = settings_of(loader), .request = request, .use = use};
  place.last.reset();
  place.epoch_steps = place.in_turn = 0;
}

void CourseRecorder::take(Place& place, const ScriptMark& mark) {
  switch (mark.kind) {
    case ScriptMark::Kind::kBegin:
      place.begin = mark;
      place.last.reset();
      place.epoch_steps = place.in_turn = place.batches = 0;
      return;
    case ScriptMark::Kind::kEnd:
      return end_step(place, mark.asked);
    case ScriptMark::Kind::kBatch:
      end_step(place, mark.asked);
      return add_batch(place, mark);
    case ScriptMark::Kind::kSwitched:
      const auto request = requests_.find(mark.request);
      if (request == requests_.end()) return;
      set(place, request->second.settings, mark.request, request->second.use);
  }
}

void CourseRecorder::add_batch(Place& place, const ScriptMark& mark) {
  std::vector<RecordedEpoch>& epochs = loaders_[place.index].epochs;
  if (place.begin && epochs.size() < kMostEpochs) {
    epochs.push_back({place.begin->asked, mark.loaded});
  }
  place.begin.reset();
  place.last = mark;
  loaders_[place.index].note({mark.loader, mark.epoch, place.batches++, mark.asked});
}

void CourseRecorder::end_step(Place& place, Nanos now) {
  if (!place.last || now < place.last->loaded) return;
  const ScriptMark mark = *place.last;
  place.last.reset();
  RecordedSegment& now_on = segment(place, mark.asked);
  now_on.end = now;
  ++now_on.steps;
  loaders_[place.index].seconds += to_seconds(now - mark.asked);
  if (place.epoch_steps++ < discarded_steps(now_on.loader)) return;
  RecordedTurn& turn = place.turn;
  if (place.in_turn++ == 0) turn = {.begin = mark.asked};
  const auto size = static_cast<double>(turn_of(now_on.loader));
  turn.end = now;
  turn.loading += to_seconds(mark.loaded - mark.asked) / size;
  turn.training += to_seconds(now - mark.loaded) / size;
  turn.samples += mark.samples;
  if (place.in_turn < turn_of(now_on.loader)) return;
  now_on.keep(turn);
  place.in_turn = 0;
}

// Of too many, the script's own settings and the latest ones are told.
RecordedSegment& CourseRecorder::segment(Place& place, Nanos begin) {
  std::vector<RecordedSegment>& segments = loaders_[place.index].segments;
  const RecordedSegment& now = place.now;
  if (segments.empty() || segments.back().request != now.request ||
      segments.back().settings != now.settings) {
    if (segments.size() == kMostSegments) segments.erase(segments.begin() + 1);
    segments.push_back(now);
    segments.back().begin = segments.back().end = begin;
  }
  return segments.back();
}

void CourseRecorder::take(Place& place, const ScriptSwitchFailed& failed) {
  const auto request = requests_.find(failed.request);
  const RecordedStep* const last = loaders_[place.index].last_step();
  if (request == requests_.end() || last == nullptr) return;
  if (place.now.request != failed.request) {
    set(place, request->second.settings, failed.request, request->second.use);
  }
  segment(place, last->asked).problem = failed.problem;
  set(place, place.own, 0, SegmentUse::kOwn);
}

std::vector<LoaderCourse> CourseRecorder::loaders() const {
  std::vector<const RecordedLoader*> seen;
  for (const RecordedLoader& loader : loaders_) {
    if (has_turns(loader)) seen.push_back(&loader);
  }
  std::stable_sort(seen.begin(), seen.end(), [](const RecordedLoader* a, const RecordedLoader* b) {
    return a->seconds > b->seconds;
  });
  if (seen.size() > kMostLoaders) seen.resize(kMostLoaders);
  Nanos zero = Nanos::max();
  for (const RecordedLoader* loader : seen) zero = std::min(zero, first_time(*loader));
  std::vector<LoaderCourse> courses;
  for (const RecordedLoader* loader : seen) courses.push_back(course_of(*loader, zero));
  return courses;
}

void set_course(RunResult& run, const CourseRecorder& recorder, const InPlaceTuner* tuner,
                std::vector<std::string> verdict) {
  RunCourse& course = run.course.emplace();
  course.verdict = std::move(verdict);
  course.loaders = recorder.loaders();
  if (tuner == nullptr || !tuner->is_over()) return;
  const Settings kept = settings_of(tuner->settings(tuner->chosen()));
  for (LoaderCourse& loader : course.loaders) {
    CourseSegment& last = loader.segments.back();
    // Its trial was the last one, after which nothing was switched.
    if (last.use == SegmentUse::kTrial && last.settings == kept) last.use = SegmentUse::kKept;
  }
}

}  // namespace feedrate
