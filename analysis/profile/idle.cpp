// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/idle.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "analysis/profile/device_work.h"
#include "analysis/profile/host_waits.h"

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
    loading[lane_of(activity)] += activity.span.length();
  }
  const auto longest =
      std::max_element(loading.begin(), loading.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (longest == loading.end()) return std::nullopt;
  return longest->first;
}

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
  Times launches;  // Short runtime calls.
  Times waits;     // For a GPU, except for copies to it; by begin.
};

constexpr Nanos kLongestLaunch = std::chrono::milliseconds(1);

bool is_launching(const Activity& call, const NameTable& names) {
  return call.span.length() <= kLongestLaunch && !waits_or_copies(names.text(call.name));
}

Times find_waits(const Timeline& timeline, const std::set<Lane>& training) {
  const auto batches = copies_to_devices(timeline);
  Times spans;
  for (const HostWait& wait : host_waits(timeline)) {
    if (training.contains(wait.lane) && !batches.contains(wait.copy)) spans.push_back(wait.span);
  }
  return spans;
}

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
      if (is_launching(activity, timeline.names)) times.launches.push_back(activity.span);
    } else {
      times.operators.push_back(activity.span);
    }
  }
  return {merged(std::move(times.loader)), merged(std::move(times.runtime)),
          merged(std::move(times.operators)), merged(std::move(times.launches)),
          find_waits(timeline, training)};
}

/// Removes the intersection with `what` from `from`; returns its length.
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

/// Gaps that began during a wait.
Times gaps_after(const Times& waits, const Times& gaps) {
  const Times covered = merged(waits);
  Times after;
  for (const TimeInterval& gap : gaps) {
    const auto later =
        std::upper_bound(covered.begin(), covered.end(), gap.begin,
                         [](Nanos begin, const TimeInterval& wait) { return begin < wait.begin; });
    if (later != covered.begin() && gap.begin <= std::prev(later)->end) after.push_back(gap);
  }
  return after;
}

std::size_t count_beginning_in(const Times& steps, const Times& waits) {
  return static_cast<std::size_t>(
      std::count_if(waits.begin(), waits.end(), [&](const TimeInterval& wait) {
        return length_within(steps, {wait.begin, wait.begin + Nanos(1)}) > Nanos(0);
      }));
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
  const Times gaps = subtraction(steps, spans_where(work, is_device_work));
  times.idle = attribute(gaps, host);
  const Times after_waits = gaps_after(host.waits, gaps);
  times.after_waits = attribute(after_waits, host);
  times.waits = count_beginning_in(steps, host.waits);
  const Times others = subtraction(subtraction(gaps, after_waits), host.loader);
  times.idle_in_launches = total_length(intersection(others, host.launches));
  times.idle_in_operators = times.idle.operators - times.after_waits.operators;
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
