// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "training/in_place_tuner.h"
#include "training/results.h"
#include "training/wait_verdict.h"

namespace feedrate {
namespace {

constexpr std::size_t kMostEpochs = 300;
constexpr std::size_t kMostLoaders = 8;
constexpr int kPoints = 200;     // Of a loader, about: as many as a chart has room for.
constexpr int kLeastPoints = 4;  // Of a segment that has as many blocks.

using Blocks = std::span<const StepBlock>;

// A loader with the sums over its settings.
struct SeenLoader {
  const WatchedLoader* first = nullptr;
  const StepLog* log = nullptr;
  double seconds = 0.0;
  std::vector<EpochMarks> epochs;
};

// Rounded to 0.1 us, the resolution of a clock, to save characters.
double rounded(double seconds) { return std::round(1e7 * seconds) / 1e7; }

double between(Nanos begin, Nanos end) { return rounded(to_seconds(end - begin)); }

StepBlock sum_of(Blocks blocks) {
  StepBlock sum;
  for (const StepBlock& block : blocks) sum.add(block);
  return sum;
}

HistoryTimes times_of(Blocks blocks) {
  const StepBlock sum = sum_of(blocks);
  const auto steps = static_cast<double>(sum.sums.steps);
  HistoryTimes times{rounded(sum.sums.loading / steps), rounded(sum.sums.training / steps)};
  if (sum.gpu_busy > 0.0) times.gpu_idle = rounded(sum.gpu_idle / (sum.gpu_idle + sum.gpu_busy));
  return times;
}

// Only a single block is wider than `width`, so that no point spans a pause.
void add_points(std::vector<HistoryPoint>& points, Blocks blocks, Nanos width, Nanos zero) {
  while (!blocks.empty()) {
    const Nanos begin = blocks.front().begin;
    std::size_t count = 1;
    while (count < blocks.size() && blocks[count].end - begin <= width) ++count;
    const Blocks some = blocks.first(count);
    points.push_back({between(zero, begin), between(zero, some.back().end), times_of(some)});
    blocks = blocks.subspan(count);
  }
}

HistorySegment segment_of(const LogSegment& logged, Nanos zero) {
  HistorySegment segment;
  segment.begin = between(zero, logged.begin);
  segment.end = between(zero, logged.end);
  segment.settings = logged.settings;
  segment.use = logged.use;
  segment.steps = logged.steps;
  segment.problem = logged.problem;
  if (logged.blocks.all().empty()) return segment;
  segment.times = times_of(logged.blocks.all());
  segment.samples_per_second = rate_of(sum_of(logged.blocks.all()).sums);
  return segment;
}

bool has_blocks(const StepLog& log) {
  return std::any_of(log.segments().begin(), log.segments().end(),
                     [](const LogSegment& segment) { return !segment.blocks.all().empty(); });
}

std::vector<SeenLoader> seen_loaders(const Watch& watch) {
  std::vector<SeenLoader> seen;
  for (const WatchedLoader& one : watch.loaders()) {
    if (one.process.rank != 0 || !has_blocks(watch.log_of(one))) continue;
    auto same = std::find_if(seen.begin(), seen.end(), [&](const SeenLoader& known) {
      return known.log == &watch.log_of(one);
    });
    if (same == seen.end()) same = seen.insert(same, {&one, &watch.log_of(one), 0.0, {}});
    same->seconds += one.seconds + one.first_batches.loading;
    same->epochs.insert(same->epochs.end(), one.epochs.begin(), one.epochs.end());
  }
  std::stable_sort(seen.begin(), seen.end(),
                   [](const SeenLoader& a, const SeenLoader& b) { return a.seconds > b.seconds; });
  if (seen.size() > kMostLoaders) seen.resize(kMostLoaders);
  for (SeenLoader& loader : seen) {
    std::sort(loader.epochs.begin(), loader.epochs.end(),
              [](const EpochMarks& a, const EpochMarks& b) { return a.begin < b.begin; });
  }
  return seen;
}

LoaderHistory history_of(const SeenLoader& seen, Nanos zero) {
  LoaderHistory history;
  history.loader = loader_text(seen.first->loader);
  const std::vector<LogSegment>& segments = seen.log->segments();
  const Nanos width = (segments.back().end - segments.front().begin) / kPoints;
  for (const LogSegment& segment : segments) {
    history.segments.push_back(segment_of(segment, zero));
    const Nanos least = (segment.end - segment.begin) / kLeastPoints;
    add_points(history.points, segment.blocks.all(), std::min(width, least), zero);
  }
  for (const EpochMarks& epoch : seen.epochs) {
    if (history.epochs.size() == kMostEpochs) break;
    history.epochs.push_back({between(zero, epoch.begin), rounded(to_seconds(epoch.first_batch))});
  }
  return history;
}

}  // namespace

std::vector<LoaderHistory> histories(const Watch& watch) {
  const std::vector<SeenLoader> seen = seen_loaders(watch);
  Nanos zero = Nanos::max();
  for (const SeenLoader& loader : seen) {
    zero = std::min(zero, loader.log->segments().front().begin);
    if (!loader.epochs.empty()) zero = std::min(zero, loader.epochs.front().begin);
  }
  std::vector<LoaderHistory> all;
  for (const SeenLoader& loader : seen) all.push_back(history_of(loader, zero));
  return all;
}

void set_history(RunResult& run, const Watch& watch, const InPlaceTuner* tuner,
                 std::vector<std::string> verdict) {
  RunHistory& history = run.history.emplace();
  history.verdict = std::move(verdict);
  history.loaders = histories(watch);
  if (tuner == nullptr || !tuner->is_over()) return;
  const Settings kept = settings_of(tuner->settings(tuner->chosen()));
  for (LoaderHistory& loader : history.loaders) {
    HistorySegment& last = loader.segments.back();
    // Its trial was the last one, after which nothing was switched.
    if (last.use == SegmentUse::kTrial && last.settings == kept) last.use = SegmentUse::kKept;
  }
}

}  // namespace feedrate
