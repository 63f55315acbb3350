// SPDX-License-Identifier: Apache-2.0
#include "training/recorded_loader.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/statistics.h"
#include "training/verdict.h"

namespace feedrate {
namespace {

constexpr std::size_t kMostTurns = 2048;    // Of a segment.
constexpr std::size_t kMostWaiting = 4096;  // Steps, for their spans.
constexpr int kPoints = 200;                // Of a loader, about: as many as a chart has room for.
constexpr int kLeastPoints = 4;             // Of a segment that has as many turns.

using Turns = std::span<const RecordedTurn>;

// To a tenth of a microsecond: what a clock tells, in few characters.
double tidy(double seconds) { return std::round(1e7 * seconds) / 1e7; }

double between(Nanos begin, Nanos end) { return tidy(to_seconds(end - begin)); }

double middle(Turns turns, double RecordedTurn::*member) {
  std::vector<double> values;
  for (const RecordedTurn& turn : turns) values.push_back(turn.*member);
  return tidy(median(values));
}

CourseTimes times_of(Turns turns) {
  CourseTimes times{middle(turns, &RecordedTurn::loading), middle(turns, &RecordedTurn::training)};
  double idle = 0.0, busy = 0.0;
  for (const RecordedTurn& turn : turns) {
    idle += turn.gpu_idle;
    busy += turn.gpu_busy;
  }
  if (busy > 0.0) times.gpu_idle = tidy(idle / (idle + busy));
  return times;
}

std::optional<double> rate_of(Turns turns) {
  double samples = 0.0, seconds = 0.0;
  for (const RecordedTurn& turn : turns) {
    samples += static_cast<double>(turn.samples);
    seconds += to_seconds(turn.end - turn.begin);
  }
  return samples > 0.0 && seconds > 0.0 ? std::optional(samples / seconds) : std::nullopt;
}

// No point is wider than `width` but one of a single turn, so that none lies over a pause.
void add_points(std::vector<CoursePoint>& points, Turns turns, Nanos width, Nanos zero) {
  while (!turns.empty()) {
    const Nanos begin = turns.front().begin;
    std::size_t count = 1;
    while (count < turns.size() && turns[count].end - begin <= width) ++count;
    const Turns some = turns.first(count);
    points.push_back({between(zero, begin), between(zero, some.back().end), times_of(some)});
    turns = turns.subspan(count);
  }
}

// Null where it is in none.
RecordedTurn* turn_at(std::vector<RecordedSegment>& segments, Nanos time) {
  const auto segment = std::find_if(segments.rbegin(), segments.rend(),
                                    [&](const RecordedSegment& one) { return one.begin <= time; });
  if (segment == segments.rend()) return nullptr;
  const auto turn = std::find_if(segment->turns.rbegin(), segment->turns.rend(),
                                 [&](const RecordedTurn& one) { return one.begin <= time; });
  return turn == segment->turns.rend() || time >= turn->end ? nullptr : &*turn;
}

CourseSegment segment_of(const RecordedSegment& recorded, Nanos zero) {
  CourseSegment segment;
  segment.begin = between(zero, recorded.begin);
  segment.end = between(zero, recorded.end);
  segment.settings = recorded.settings;
  segment.use = recorded.use;
  segment.steps = recorded.steps;
  if (!recorded.turns.empty()) segment.times = times_of(recorded.turns);
  segment.samples_per_second = rate_of(recorded.turns);
  segment.problem = recorded.problem;
  return segment;
}

}  // namespace

void RecordedSegment::keep(const RecordedTurn& turn) {
  if (seen++ % stride != 0) return;
  turns.push_back(turn);
  if (turns.size() < kMostTurns) return;
  for (std::size_t i = 0; 2 * i < turns.size(); ++i) turns[i] = turns[2 * i];
  turns.resize(kMostTurns / 2);
  stride *= 2;
}

void RecordedLoader::note(const RecordedStep& step) {
  steps.push_back(step);
  if (steps.size() > kMostWaiting) steps.pop_front();
}

void RecordedLoader::add(const ScriptSpan& span) {
  const auto step = std::find_if(steps.rbegin(), steps.rend(), [&](const RecordedStep& one) {
    return one.loader == span.loader && one.epoch == span.epoch && one.number == span.step;
  });
  if (step == steps.rend() || !span.idle) return;
  RecordedTurn* const turn = turn_at(segments, step->asked);
  if (turn == nullptr) return;
  turn->gpu_idle += to_seconds(*span.idle);
  turn->gpu_busy += to_seconds(span.busy);
}

LoaderCourse course_of(const RecordedLoader& loader, Nanos zero) {
  LoaderCourse course;
  course.loader = loader_text(loader.own);
  const Nanos width = (loader.segments.back().end - loader.segments.front().begin) / kPoints;
  for (const RecordedSegment& segment : loader.segments) {
    course.segments.push_back(segment_of(segment, zero));
    const Nanos least = (segment.end - segment.begin) / kLeastPoints;
    add_points(course.points, segment.turns, std::min(width, least), zero);
  }
  for (const RecordedEpoch& epoch : loader.epochs) {
    course.epochs.push_back({between(zero, epoch.begin), between(epoch.begin, epoch.first_batch)});
  }
  return course;
}

}  // namespace feedrate
