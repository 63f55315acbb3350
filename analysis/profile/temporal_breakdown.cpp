// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/temporal_breakdown.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analysis/profile/device_work.h"

namespace feedrate {
namespace {

using LaunchTimes = std::unordered_map<std::uint64_t, Nanos>;
using Work = std::vector<Activity>;

bool is_compute(const Activity& activity, const NameTable& names) {
  if (activity.role != Role::kKernel) return false;
  const std::string_view name = names.text(activity.name);
  return !name.starts_with("nccl") && name.find("ncclKernel") == std::string_view::npos;
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

class StreamIdle {
 public:
  StreamIdle(const LaunchTimes& launched, Nanos delay) : launched_(launched), delay_(delay) {}

  /// REQUIRES: `work` is of one stream, by begin
  IdleBreakdown of(const Work& work) const {
    IdleBreakdown idle;
    idle.device = work.front().device;
    idle.stream = work.front().lane;
    Nanos end = work.front().span.end;
    for (const Activity& next : work) {
      if (end < next.span.begin) reason(idle, next, end) += next.span.begin - end;
      end = std::max(end, next.span.end);
    }
    return idle;
  }

 private:
  Nanos& reason(IdleBreakdown& idle, const Activity& next, Nanos since) const {
    const auto launch = launched_.find(next.correlation);
    if (launch != launched_.end() && launch->second > since) return idle.host_wait;
    return next.span.begin - since < delay_ ? idle.kernel_wait : idle.other;
  }

  const LaunchTimes& launched_;
  Nanos delay_;
};

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
  const StreamIdle idle(launched, consecutive_kernel_delay);
  std::vector<IdleBreakdown> breakdowns;
  for (const auto& [stream, work] : by_stream) {
    breakdowns.push_back(idle.of(work));
    const auto name = timeline.lane_names.find({stream.first, stream.second});
    if (name != timeline.lane_names.end()) breakdowns.back().name = name->second;
  }
  return breakdowns;
}

}  // namespace feedrate
