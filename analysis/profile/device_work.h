// SPDX-License-Identifier: Apache-2.0
// Predicates for the activities that are GPU work, and selections by them. Pure functions; any
// thread.
#pragma once
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "analysis/profile/timeline.h"

namespace feedrate {

/// Includes NCCL's kernels: the PyTorch profiler's TensorBoard plugin counts them as communication
/// in the execution summary, and as kernels in the figures of a GPU.
[[nodiscard]] inline bool is_kernel(const Activity& activity) noexcept {
  return activity.device != kHost &&
         (activity.role == Role::kKernel || activity.role == Role::kCommunication);
}

[[nodiscard]] inline bool is_copy(const Activity& activity) noexcept {
  return activity.device != kHost && activity.role == Role::kMemcpy;
}

/// Whether an activity keeps a GPU busy; ranges and waits shown on a stream do not.
[[nodiscard]] inline bool is_device_work(const Activity& activity) noexcept {
  return is_kernel(activity) || is_copy(activity) ||
         (activity.device != kHost && activity.role == Role::kMemset);
}

template <class Predicate>
[[nodiscard]] std::vector<TimeInterval> spans_where(const std::vector<Activity>& activities,
                                                    Predicate is_wanted) {
  std::vector<TimeInterval> spans;
  for (const Activity& activity : activities) {
    if (is_wanted(activity)) spans.push_back(activity.span);
  }
  return spans;
}

/// The work of each GPU that has some; by begin, as in the timeline.
[[nodiscard]] inline std::map<std::int32_t, std::vector<Activity>> work_by_device(
    const Timeline& timeline) {
  std::map<std::int32_t, std::vector<Activity>> by_device;
  for (const Activity& activity : timeline.activities) {
    if (is_device_work(activity)) by_device[activity.device].push_back(activity);
  }
  return by_device;
}

/// External ids of runtime and driver calls, by correlation.
using ExternalIds = std::unordered_map<std::uint64_t, std::uint64_t>;

[[nodiscard]] inline ExternalIds external_ids_of_calls(const std::vector<Activity>& activities) {
  ExternalIds ids;
  for (const Activity& call : activities) {
    if (call.role != Role::kRuntime || call.correlation == 0) continue;
    ids[call.correlation] = call.external_id;
  }
  return ids;
}

/// External id of the kernel's operator; 0: unknown.
[[nodiscard]] inline std::uint64_t launching_operator(const Activity& kernel,
                                                      const ExternalIds& of_calls) {
  if (kernel.external_id != 0) return kernel.external_id;
  const auto call = of_calls.find(kernel.correlation);
  return call == of_calls.end() ? 0 : call->second;
}

}  // namespace feedrate
