// SPDX-License-Identifier: Apache-2.0
#include "training/course.h"

#include <algorithm>
#include <utility>

#include "training/results.h"
#include "training/tuning.h"

namespace feedrate {
namespace {

constexpr std::size_t kMostSegments = 100;
constexpr std::size_t kMostEpochs = 300;
constexpr std::size_t kMostLoaders = 8;

bool has_turns(const RecordedLoader& loader) {
  return std::any_of(loader.segments.begin(), loader.segments.end(),
                     [](const RecordedSegment& segment) { return !segment.turns.empty(); });
}

Nanos first_time(const RecordedLoader& loader) {
  const Nanos begin = loader.segments.front().begin;
  return loader.epochs.empty() ? begin : std::min(begin, loader.epochs.front().begin);
}

}  // namespace

std::size_t CourseRecorder::add_loader(const ScriptProcess& process, const ScriptLoader& loader) {
  loaders_.push_back({.rank = process.rank, .own = loader});
  return loaders_.size() - 1;
}

void CourseRecorder::change(std::size_t loader, const ScriptLoader& settings, std::size_t request,
                            SegmentUse use) {
  RecordedLoader& known = loaders_[loader];
  known.now = {
      .loader = settings, .settings = settings_of(settings), .request = request, .use = use};
  known.turn = {};
}

void CourseRecorder::fail(std::size_t loader, const ScriptLoader& settings, std::size_t request,
                          SegmentUse use, const std::string& problem) {
  RecordedLoader& known = loaders_[loader];
  const Nanos last = known.segments.empty() ? Nanos(0) : known.segments.back().end;
  if (last == Nanos(0)) return;
  if (known.now.request != request) change(loader, settings, request, use);
  segment(known, last).problem = problem;
}

void CourseRecorder::add_epoch(std::size_t loader, const RecordedEpoch& epoch) {
  std::vector<RecordedEpoch>& epochs = loaders_[loader].epochs;
  if (epochs.size() < kMostEpochs) epochs.push_back(epoch);
}

void CourseRecorder::add_step(std::size_t loader, const RecordedStep& step) {
  RecordedLoader& known = loaders_[loader];
  if (known.rank != 0 || step.end < step.begin) return;
  RecordedSegment& now = segment(known, step.begin);
  now.end = step.end;
  ++now.steps;
  known.seconds += step.loading + step.training;
  if (!step.is_kept) {
    known.turn = {};
    return;
  }
  if (known.turn.steps == 0) known.turn.begin = step.begin;
  known.turn.add({.end = step.end,
                  .steps = 1,
                  .loading = step.loading,
                  .training = step.training,
                  .samples = step.samples});
  if (known.turn.steps < step.turn) return;
  now.keep(std::exchange(known.turn, {}));
}

void CourseRecorder::add_gpu(std::size_t loader, Nanos asked, double idle, double busy) {
  loaders_[loader].add_gpu(asked, idle, busy);
}

// Of too many, the script's own settings and the latest ones are told.
RecordedSegment& CourseRecorder::segment(RecordedLoader& loader, Nanos begin) {
  std::vector<RecordedSegment>& segments = loader.segments;
  const RecordedSegment& now = loader.now;
  if (segments.empty() || segments.back().request != now.request ||
      segments.back().settings != now.settings) {
    if (segments.size() == kMostSegments) segments.erase(segments.begin() + 1);
    segments.push_back(now);
    segments.back().begin = segments.back().end = begin;
  }
  return segments.back();
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
