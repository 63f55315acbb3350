// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/steps.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>

#include "analysis/profile/device_work.h"

namespace feedrate {
namespace {

constexpr double kTailShare = 0.8;

struct Launched {
  std::size_t count = 0;
  TimeInterval extent;
};

using StepOfCall = std::unordered_map<std::uint64_t, std::size_t>;

TimeInterval extent_of(const std::vector<TimeInterval>& spans) {
  TimeInterval extent = spans.front();
  for (const TimeInterval& span : spans) {
    extent.begin = std::min(extent.begin, span.begin);
    extent.end = std::max(extent.end, span.end);
  }
  return extent;
}

bool is_host_range(const Activity& activity) {
  return activity.device == kHost &&
         (activity.role == Role::kCommunication || activity.role == Role::kDataLoader ||
          activity.role == Role::kCpuExec);
}

std::vector<StepSpan> whole_run(const std::vector<Activity>& activities) {
  std::vector<TimeInterval> spans = spans_where(activities, is_host_range);
  if (spans.empty()) {
    spans = spans_where(activities, [](const Activity& a) { return a.role != Role::kUncounted; });
  }
  if (spans.empty()) return {};
  return {{0, extent_of(spans)}};
}

StepOfCall find_calls(const std::vector<Activity>& activities, const std::vector<StepSpan>& steps) {
  StepOfCall step_of;
  for (const Activity& call : activities) {
    if (call.role != Role::kRuntime || call.correlation == 0) continue;
    const auto next =
        std::upper_bound(steps.begin(), steps.end(), call.span.begin,
                         [](Nanos begin, const StepSpan& step) { return begin < step.span.begin; });
    if (next == steps.begin() || std::prev(next)->span.end < call.span.end) continue;
    step_of[call.correlation] = static_cast<std::size_t>(next - steps.begin()) - 1;
  }
  return step_of;
}

std::vector<Launched> find_launched(const std::vector<Activity>& activities,
                                    const StepOfCall& step_of, std::size_t steps) {
  std::vector<Launched> launched(steps);
  for (const Activity& work : activities) {
    if (!is_device_work(work)) continue;
    const auto step = step_of.find(work.correlation);
    if (step == step_of.end()) continue;
    Launched& of_step = launched[step->second];
    of_step.extent = of_step.count == 0 ? work.span : extent_of({of_step.extent, work.span});
    ++of_step.count;
  }
  return launched;
}

/// The latest end of GPU work that no step launched and that ended before `first`.
Nanos end_of_earlier_work(const std::vector<Activity>& activities, const StepOfCall& step_of,
                          Nanos first) {
  Nanos end = Nanos::min();
  for (const Activity& work : activities) {
    if (!is_device_work(work) || step_of.contains(work.correlation)) continue;
    if (work.span.end < first) end = std::max(end, work.span.end);
  }
  return end;
}

/// The first moment in `window` in next() while no GPU worked.
std::optional<Nanos> first_exposed_next(const std::vector<Activity>& activities,
                                        TimeInterval window) {
  const std::vector<TimeInterval> nexts = spans_where(activities, [](const Activity& activity) {
    return activity.device == kHost && activity.role == Role::kDataLoader;
  });
  const std::vector<TimeInterval> exposed =
      subtraction(intersection(nexts, {window}), spans_where(activities, is_device_work));
  if (exposed.empty()) return std::nullopt;
  return exposed.front().begin;
}

Nanos begin_of_first(const std::vector<Activity>& activities, const StepOfCall& step_of,
                     TimeInterval mark, const Launched& launched) {
  if (launched.count == 0) return mark.begin;
  const Nanos end = end_of_earlier_work(activities, step_of, launched.extent.begin);
  return first_exposed_next(activities, {mark.begin, end}).value_or(std::max(mark.begin, end));
}

void extend(std::vector<StepSpan>& steps, const std::vector<Launched>& launched, Nanos previous) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    TimeInterval& span = steps[i].span;
    span.begin = std::max(span.begin, previous);
    if (launched[i].count > 0) span.end = std::max(span.end, launched[i].extent.end);
    span.end = std::max(span.end, span.begin);
    previous = span.end;
  }
}

std::size_t complete_steps(const std::vector<Launched>& launched) {
  std::size_t kept = launched.size();
  if (kept < 2) return kept;
  while (kept > 0 && launched[kept - 1].count == 0) --kept;
  if (kept < 2) return kept;
  const auto last = static_cast<double>(launched[kept - 1].count);
  const auto before = static_cast<double>(launched[kept - 2].count);
  return kTailShare * before > last ? kept - 1 : kept;
}

}  // namespace

std::vector<StepSpan> adjusted_steps(const Timeline& timeline) {
  const std::vector<Activity>& activities = timeline.activities;
  std::vector<StepSpan> steps = timeline.steps.empty() ? whole_run(activities) : timeline.steps;
  const StepOfCall step_of = find_calls(activities, steps);
  const std::vector<Launched> launched = find_launched(activities, step_of, steps.size());
  if (std::all_of(launched.begin(), launched.end(),
                  [](const Launched& of_step) { return of_step.count == 0; })) {
    return steps;
  }
  extend(steps, launched,
         begin_of_first(activities, step_of, steps.front().span, launched.front()));
  steps.resize(complete_steps(launched));
  return steps;
}

TimeInterval step_window(const std::vector<StepSpan>& steps) {
  if (steps.empty()) return {};
  return {steps.front().span.begin, steps.back().span.end};
}

std::vector<TimeInterval> step_times(const std::vector<StepSpan>& steps) {
  std::vector<TimeInterval> times;
  for (const StepSpan& step : steps) times.push_back(step.span);
  return merged(std::move(times));
}

}  // namespace feedrate
