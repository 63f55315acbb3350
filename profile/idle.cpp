// SPDX-License-Identifier: Apache-2.0
#include "profile/idle.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "profile/device_work.h"

namespace feedrate {
namespace {

using Lane = std::pair<std::int64_t, std::int64_t>;
using Times = std::vector<TimeInterval>;

bool is_on_host(const Activity& activity) {
  return activity.device == kHost && activity.role != Role::kUncounted;
}

Lane lane_of(const Activity& activity) { return {activity.process, activity.lane}; }

std::optional<Lane> find_main_lane(const Timeline& timeline) {
  std::map<Lane, Nanos> loading;
  for (const Activity& activity : timeline.activities) {
    if (!is_on_host(activity)) continue;
    if (lane_of(activity) == timeline.main_lane) return timeline.main_lane;
    if (activity.role != Role::kDataLoader) continue;
    loading[lane_of(activity)] += activity.span.end - activity.span.begin;
  }
  const auto longest =
      std::max_element(loading.begin(), loading.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (longest == loading.end()) return std::nullopt;
  return longest->first;
}

/// The threads whose runtime calls and operators are the training loop's.
std::set<Lane> find_training_lanes(const std::vector<Activity>& activities,
                                   const std::optional<Lane>& main) {
  std::set<Lane> lanes;
  for (const Activity& activity : activities) {
    if (!is_on_host(activity)) continue;
    const Lane lane = lane_of(activity);
    const bool is_backward = activity.role == Role::kCpuExec && main && lane.first == main->first;
    if (!main || lane == *main || is_backward) lanes.insert(lane);
  }
  return lanes;
}

struct HostTimes {
  Times loader, runtime, operators;
};

HostTimes find_host_times(const Timeline& timeline) {
  const std::optional<Lane> main = find_main_lane(timeline);
  const std::set<Lane> training = find_training_lanes(timeline.activities, main);
  HostTimes times;
  for (const Activity& activity : timeline.activities) {
    if (!is_on_host(activity) || !training.contains(lane_of(activity))) continue;
    if (activity.role == Role::kDataLoader) {
      if (!main || lane_of(activity) == *main) times.loader.push_back(activity.span);
    } else if (activity.role == Role::kRuntime) {
      times.runtime.push_back(activity.span);
    } else {
      times.operators.push_back(activity.span);
    }
  }
  return {merged(std::move(times.loader)), merged(std::move(times.runtime)),
          merged(std::move(times.operators))};
}

/// Moves what `from` and `what` share out of `from`; returns its length.
Nanos take(Times& from, const Times& what) {
  const Times shared = intersection(from, what);
  from = subtraction(std::move(from), shared);
  return total_length(shared);
}

IdleTime attribute(Times gaps, const HostTimes& host) {
  IdleTime idle;
  idle.loader = take(gaps, host.loader);
  idle.runtime = take(gaps, host.runtime);
  idle.operators = take(gaps, host.operators);
  idle.other = total_length(gaps);
  return idle;
}

DeviceTimes times_of(std::int32_t device, const std::vector<Activity>& work, const Times& steps,
                     const HostTimes& host) {
  const Times kernels = intersection(steps, spans_where(work, is_kernel));
  const Times copies = intersection(steps, spans_where(work, is_copy));
  DeviceTimes times;
  times.device = device;
  times.steps = total_length(steps);
  times.kernels = total_length(kernels);
  times.copies = total_length(copies);
  times.overlap = total_length(intersection(kernels, copies));
  times.idle = attribute(subtraction(steps, spans_where(work, is_device_work)), host);
  return times;
}

}  // namespace

std::vector<DeviceTimes> device_times(const Timeline& timeline,
                                      const std::vector<StepSpan>& steps) {
  const Times within = step_times(steps);
  if (within.empty()) return {};
  const HostTimes host = find_host_times(timeline);
  std::vector<DeviceTimes> all;
  for (const auto& [device, work] : work_by_device(timeline)) {
    all.push_back(times_of(device, work, within, host));
  }
  return all;
}

}  // namespace feedrate
