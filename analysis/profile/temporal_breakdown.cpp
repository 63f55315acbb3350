// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/temporal_breakdown.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analysis/profile/device_work.h"
#include "analysis/profile/trace_roles.h"

namespace feedrate {
namespace {

using LaunchTimes = std::unordered_map<std::uint64_t, Nanos>;
using Work = std::vector<Activity>;

bool is_compute(const Activity& activity, const NameTable& names) {
  return activity.role == Role::kKernel && !is_communication_kernel(names.text(activity.name));
}

TemporalBreakdown breakdown_of(std::int32_t device, const Work& work, const NameTable& names) {
  const std::vector<TimeInterval> busy =
      merged(spans_where(work, [](const Activity&) { return true; }));
  TemporalBreakdown breakdown;
  breakdown.device = device;
  if (busy.empty()) return breakdown;
  breakdown.total = busy.back().end - busy.front().begin;
  breakdown.idle = breakdown.total - total_length(busy);
  const std::vector<TimeInterval> compute =
      spans_where(work, [&](const Activity& activity) { return is_compute(activity, names); });
  const std::vector<TimeInterval> communication = spans_where(
      work, [&](const Activity& each) { return is_kernel(each) && !is_compute(each, names); });
  breakdown.compute = total_length(compute);
  breakdown.non_compute = breakdown.total - breakdown.idle - breakdown.compute;
  breakdown.communication = total_length(communication);
  breakdown.overlapped = total_length(intersection(communication, compute));
  return breakdown;
}

/// Begin of the host's call, by correlation.
LaunchTimes launch_times(const std::vector<Activity>& activities) {
  LaunchTimes times;
  for (const Activity& call : activities) {
    if (call.device == kHost && call.correlation != 0) times[call.correlation] = call.span.begin;
  }
  return times;
}

/// REQUIRES: `work` is of one stream, by begin
IdleBreakdown idle_of(const Work& work, const LaunchTimes& launched, Nanos delay) {
  IdleBreakdown idle;
  idle.device = work.front().device;
  idle.stream = work.front().lane;
  Nanos end = work.front().span.end;
  for (const Activity& next : work) {
    const Nanos gap = std::max(next.span.begin - end, Nanos(0));
    const auto launch = launched.find(next.correlation);
    const bool is_late = launch != launched.end() && launch->second > end;
    (is_late ? idle.host_wait : gap < delay ? idle.kernel_wait : idle.other) += gap;
    end = std::max(end, next.span.end);
  }
  return idle;
}

}  // namespace

std::optional<double> communication_overlap(const TemporalBreakdown& breakdown) {
  if (breakdown.communication == Nanos(0)) return std::nullopt;
  return to_seconds(breakdown.overlapped) / to_seconds(breakdown.communication);
}

std::vector<TemporalBreakdown> temporal_breakdowns(const Timeline& timeline) {
  std::vector<TemporalBreakdown> breakdowns;
  for (const auto& [device, work] : work_by_device(timeline)) {
    breakdowns.push_back(breakdown_of(device, work, timeline.names));
  }
  return breakdowns;
}

std::vector<IdleBreakdown> idle_breakdowns(const Timeline& timeline,
                                           Nanos consecutive_kernel_delay) {
  std::map<std::pair<std::int32_t, std::int64_t>, Work> by_stream;
  for (const Activity& activity : timeline.activities) {
    if (!is_device_work(activity)) continue;
    by_stream[{activity.device, activity.lane}].push_back(activity);
  }
  const LaunchTimes launched = launch_times(timeline.activities);
  std::vector<IdleBreakdown> breakdowns;
  for (const auto& [stream, work] : by_stream) {
    breakdowns.push_back(idle_of(work, launched, consecutive_kernel_delay));
    const auto name = timeline.lane_names.find({stream.first, stream.second});
    if (name != timeline.lane_names.end()) breakdowns.back().name = name->second;
  }
  return breakdowns;
}

}  // namespace feedrate
