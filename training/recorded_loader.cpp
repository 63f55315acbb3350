// SPDX-License-Identifier: Apache-2.0
#include "training/recorded_loader.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "training/verdict.h"

namespace feedrate {
namespace {

constexpr std::size_t kMostTurns = 2048;  // Of a segment.
constexpr int kPoints = 200;              // Of a loader, about: as many as a chart has room for.
constexpr int kLeastPoints = 4;           // Of a segment that has as many turns.

using Turns = std::span<const RecordedTurn>;

// To a tenth of a microsecond: what a clock tells, in few characters.
double tidy(double seconds) { return std::round(1e7 * seconds) / 1e7; }

double between(Nanos begin, Nanos end) { return tidy(to_seconds(end - begin)); }

RecordedTurn sum_of(Turns turns) {
  RecordedTurn sum;
  for (const RecordedTurn& turn : turns) sum.add(turn);
  return sum;
}

CourseTimes times_of(Turns turns) {
  const RecordedTurn sum = sum_of(turns);
  const auto steps = static_cast<double>(sum.steps);
  CourseTimes times{tidy(sum.loading / steps), tidy(sum.training / steps)};
  if (sum.gpu_busy > 0.0) times.gpu_idle = tidy(sum.gpu_idle / (sum.gpu_idle + sum.gpu_busy));
  return times;
}

std::optional<double> rate_of(Turns turns) {
  const RecordedTurn sum = sum_of(turns);
  const double seconds = sum.loading + sum.training;
  if (sum.samples == 0 || seconds <= 0.0) return std::nullopt;
  return static_cast<double>(sum.samples) / seconds;
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

void RecordedTurn::add(const RecordedTurn& next) {
  end = next.end;
  steps += next.steps;
  loading += next.loading;
  training += next.training;
  samples += next.samples;
  gpu_idle += next.gpu_idle;
  gpu_busy += next.gpu_busy;
}

void RecordedSegment::keep(const RecordedTurn& turn) {
  if (in_last == 0) {
    turns.push_back(turn);
  } else {
    turns.back().add(turn);
  }
  in_last = (in_last + 1) % stride;
  if (turns.size() < kMostTurns || in_last != 0) return;
  for (std::size_t i = 0; 2 * i < turns.size(); ++i) {
    const RecordedTurn second = turns[2 * i + 1];
    turns[i] = turns[2 * i];
    turns[i].add(second);
  }
  turns.resize(kMostTurns / 2);
  stride *= 2;
}

void RecordedLoader::add_gpu(Nanos asked, double idle, double busy) {
  RecordedTurn* const its = turn_at(segments, asked);
  if (its == nullptr) return;
  its->gpu_idle += idle;
  its->gpu_busy += busy;
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
