// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/loader_stalls.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "analysis/profile/device_work.h"
#include "analysis/profile/steps.h"

namespace feedrate {
namespace {

constexpr std::size_t kLongestPeriod = 64;
constexpr std::size_t kLeastRounds = 3;
// Minimum F1 score with which "every p-th" predicts the long waits.
constexpr double kLeastScore = 0.8;
// A stall is at least kStallFactor times the other waits, and exceeds them by at least kStallShare
// of the mean time between calls.
constexpr int kStallFactor = 3;
constexpr double kStallShare = 0.05;
constexpr int kOutlierFactor = 10;
constexpr Nanos kLeastOutlier = std::chrono::milliseconds(5);

Nanos median_of(std::vector<Nanos> values) {
  if (values.empty()) return Nanos(0);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Nanos mean_distance(const std::vector<LoaderWait>& waits) {
  return (waits.back().span.begin - waits.front().span.begin) /
         static_cast<std::int64_t>(std::max<std::size_t>(waits.size() - 1, 1));
}

struct SplitWaits {
  std::vector<Nanos> in, out;
};
// `in`: every `period`-th wait, beginning with `phase`; `out`: all others.
SplitWaits split(const std::vector<LoaderWait>& waits, std::size_t period, std::size_t phase) {
  SplitWaits values;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    (i % period == phase ? values.in : values.out).push_back(waits[i].raw());
  }
  return values;
}

struct Candidate {
  PeriodicStall stall;
  double score = 0.0;
};

Candidate try_period(const std::vector<LoaderWait>& waits, std::size_t period) {
  Candidate best{{period, Nanos::min(), Nanos(0)}, 0.0};
  std::size_t best_phase = 0;
  for (std::size_t phase = 0; phase < period; ++phase) {
    const Nanos middle = median_of(split(waits, period, phase).in);
    if (middle <= best.stall.stalled) continue;
    best.stall.stalled = middle;
    best_phase = phase;
  }
  const auto [in, out] = split(waits, period, best_phase);
  best.stall.others = median_of(out);
  const Nanos threshold = (best.stall.stalled + best.stall.others) / 2;
  const auto is_long = [threshold](Nanos wait) { return wait > threshold; };
  const auto hits = std::count_if(in.begin(), in.end(), is_long);
  const auto strays = std::count_if(out.begin(), out.end(), is_long);
  const auto misses = static_cast<std::ptrdiff_t>(in.size()) - hits;
  if (hits >= static_cast<std::ptrdiff_t>(kLeastRounds)) {
    best.score = static_cast<double>(2 * hits) / static_cast<double>(2 * hits + strays + misses);
  }
  return best;
}

bool is_stall(const PeriodicStall& stall, Nanos distance) {
  const Nanos more = stall.stalled - stall.others;
  return stall.stalled >= kStallFactor * stall.others &&
         to_seconds(more) >= kStallShare * to_seconds(distance);
}

void mark_outliers(LoaderStalls& stalls) {
  const Nanos usual = stalls.periodic ? stalls.periodic->stalled : stalls.median;
  const Nanos limit = std::max(kOutlierFactor * usual, kLeastOutlier);
  for (LoaderWait& wait : stalls.waits) wait.is_outlier = wait.raw() > limit;
}

bool is_pinning(std::string_view call) {
  constexpr std::array<std::string_view, 6> kCalls{"cudaHostAlloc",    "cudaMallocHost",
                                                   "cudaHostRegister", "hipHostMalloc",
                                                   "hipMallocHost",    "hipHostRegister"};
  return std::any_of(kCalls.begin(), kCalls.end(),
                     [&](std::string_view each) { return call.starts_with(each); });
}

PinningCalls pinning_after(const Timeline& timeline, Nanos begin) {
  PinningCalls calls;
  for (const Activity& activity : timeline.activities) {
    if (activity.role != Role::kRuntime || activity.span.begin < begin) continue;
    if (!is_pinning(timeline.names.text(activity.name))) continue;
    ++calls.count;
    calls.time += activity.span.length();
  }
  return calls;
}

}  // namespace

std::optional<PeriodicStall> find_periodic_stall(const std::vector<LoaderWait>& waits) {
  if (waits.empty()) return std::nullopt;
  const Nanos distance = mean_distance(waits);
  Candidate best;
  for (std::size_t period = 2; period <= kLongestPeriod && period * kLeastRounds <= waits.size();
       ++period) {
    const Candidate candidate = try_period(waits, period);
    if (candidate.score > best.score && is_stall(candidate.stall, distance)) best = candidate;
  }
  if (best.score < kLeastScore) return std::nullopt;
  return best.stall;
}

LoaderStalls loader_stalls(const Timeline& timeline, const std::vector<StepSpan>& steps) {
  LoaderStalls stalls;
  if (steps.empty()) return stalls;
  const TimeInterval window = step_window(steps);
  const std::vector<TimeInterval> busy = merged(spans_where(timeline.activities, is_device_work));
  std::vector<TimeInterval> nexts;
  std::vector<Nanos> lengths;
  for (const Activity& activity : timeline.activities) {
    const TimeInterval& span = activity.span;
    if (activity.role != Role::kDataLoader || activity.device != kHost) continue;
    if (!span.overlaps(window)) continue;
    nexts.push_back(span);
    stalls.waits.push_back({span, span.length() - length_within(busy, span)});
    lengths.push_back(span.length());
  }
  const std::vector<TimeInterval> raw = merged(nexts);
  const std::vector<TimeInterval> exposed = subtraction(raw, busy);
  for (const StepSpan& step : steps) {
    stalls.steps.push_back({length_within(raw, step.span), length_within(exposed, step.span)});
  }
  stalls.median = median_of(std::move(lengths));
  stalls.periodic = find_periodic_stall(stalls.waits);
  mark_outliers(stalls);
  stalls.pinned_late = pinning_after(timeline, steps.front().span.end);
  return stalls;
}

}  // namespace feedrate
