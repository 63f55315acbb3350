// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/recorded_trace.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "bench/engines/timeline_lanes.h"

namespace feedrate {
namespace {

using namespace lanes;

Role role_of(ActivityKind kind) {
  switch (kind) {
    case ActivityKind::kKernel:
      return Role::kKernel;
    case ActivityKind::kMemcpy:
      return Role::kMemcpy;
    case ActivityKind::kMemset:
      return Role::kMemset;
    case ActivityKind::kRuntime:
      return Role::kRuntime;
    case ActivityKind::kSynchronization:  // kRuntime already counts the call that waits.
    case ActivityKind::kOverhead:
      break;
  }
  return Role::kUncounted;
}

MemoryKind memory_of(ActivityMemory memory) {
  switch (memory) {
    case ActivityMemory::kPageable:
      return MemoryKind::kPageable;
    case ActivityMemory::kPinned:
      return MemoryKind::kPinned;
    case ActivityMemory::kDevice:
      return MemoryKind::kDevice;
    case ActivityMemory::kManaged:
    case ActivityMemory::kUnknown:
      break;
  }
  return MemoryKind::kUnknown;
}

bool is_call(const Activity& activity) {
  return activity.device == kHost && activity.role == Role::kRuntime;
}

// Selects device activities by their launch: one launched before `from` may run after it.
void remove_estimates(Timeline& timeline, Nanos from) {
  std::unordered_map<std::uint64_t, Nanos> launched;
  for (const Activity& call : timeline.activities) {
    if (is_call(call) && call.correlation != 0) launched[call.correlation] = call.span.begin;
  }
  std::erase_if(timeline.activities, [&](const Activity& activity) {
    if (is_call(activity)) return activity.span.begin >= from;
    if (activity.device == kHost) return false;
    const auto call = launched.find(activity.correlation);
    return (call == launched.end() ? activity.span.begin : call->second) >= from;
  });
}

class Recorded {
 public:
  Recorded(Timeline& timeline, const RecordedTrace& recorded)
      : timeline_(timeline), recorded_(recorded) {
    for (const Activity& activity : timeline.activities) {
      first_id_ = std::max(first_id_, activity.correlation);
    }
    for (const DeviceActivity& activity : recorded.trace.activities) {
      if (activity.kind == ActivityKind::kKernel) computing_.insert(activity.stream);
    }
  }

  void add() {
    for (const DeviceActivity& activity : recorded_.trace.activities) add(activity);
  }

 private:
  void add(const DeviceActivity& recorded) {
    Activity activity;
    activity.role = role_of(recorded.kind);
    activity.name = timeline_.names.id(recorded.name);
    activity.span = {recorded.begin, std::max(recorded.begin, recorded.end)};
    activity.bytes = recorded.bytes;
    activity.source = memory_of(recorded.source);
    activity.target = memory_of(recorded.target);
    if (activity.role != Role::kUncounted && recorded.correlation != 0) {
      activity.correlation = first_id_ + recorded.correlation;
    }
    place(activity, recorded);
    timeline_.activities.push_back(activity);
  }

  // A cell has one GPU, which is kGpu in the timeline whatever number the machine gives it.
  void place(Activity& activity, const DeviceActivity& recorded) {
    const bool is_on_gpu = activity.role != Role::kUncounted && activity.role != Role::kRuntime;
    activity.device = is_on_gpu ? kGpu : kHost;
    activity.process = is_on_gpu ? kGpu : kProcess;
    activity.lane = is_on_gpu ? stream_lane(recorded.stream) : host_lane(recorded);
    if (recorded.kind == ActivityKind::kKernel && !timeline_.gpus.empty() &&
        timeline_.gpus.front().multiprocessors > 0) {
      activity.blocks_per_sm = static_cast<float>(recorded.blocks) /
                               static_cast<float>(timeline_.gpus.front().multiprocessors);
    }
  }

  // The side stream keeps the number that events gave it before the recording began.
  std::int64_t stream_lane(std::int64_t stream) {
    const bool has_side_stream = timeline_.lane_names.contains({kGpu, kSideStream});
    if (has_side_stream && !computing_.contains(stream) && stream != kComputeStream) {
      return kSideStream;
    }
    std::string& name = timeline_.lane_names[{kGpu, stream}];
    if (name.empty()) name = fmt::format("stream {}", stream);
    return stream;
  }

  std::int64_t host_lane(const DeviceActivity& recorded) {
    if (recorded.kind == ActivityKind::kSynchronization) return named(kWaits, "waits (CUPTI)");
    if (recorded.kind == ActivityKind::kOverhead) return named(kTracer, "tracing overhead (CUPTI)");
    if (recorded.thread == recorded_.thread) return kTrainer;
    const auto next = kFirstOtherThread + static_cast<std::int64_t>(other_threads_.size());
    const std::int64_t lane = other_threads_.try_emplace(recorded.thread, next).first->second;
    std::string& name = timeline_.lane_names[{kProcess, lane}];
    if (name.empty()) name = fmt::format("thread {}", recorded.thread);
    return lane;
  }

  std::int64_t named(std::int64_t lane, const char* name) {
    timeline_.lane_names.try_emplace({kProcess, lane}, name);
    return lane;
  }

  Timeline& timeline_;
  const RecordedTrace& recorded_;
  std::uint64_t first_id_ = 0;  // Marks and CUPTI both number calls from 1; this separates them.
  std::set<std::int64_t> computing_;
  std::map<std::int64_t, std::int64_t> other_threads_;
};

}  // namespace

void use_recorded(Timeline& timeline, const RecordedTrace& recorded) {
  remove_estimates(timeline, recorded.from);
  Recorded(timeline, recorded).add();
}

}  // namespace feedrate
