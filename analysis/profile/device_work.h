// SPDX-License-Identifier: Apache-2.0
// Which activities of a timeline are work of a GPU, and how to pick some of them. Pure functions;
// any thread.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "analysis/profile/timeline.h"

namespace feedrate {

/// Those of NCCL, too: the PyTorch profiler's TensorBoard plugin counts them as communication in
/// the execution summary, and as kernels in the figures of a GPU.
[[nodiscard]] inline bool is_kernel(const Activity& activity) noexcept {
  return activity.device != kHost &&
         (activity.role == Role::kKernel || activity.role == Role::kCommunication);
}

[[nodiscard]] inline bool is_copy(const Activity& activity) noexcept {
  return activity.device != kHost && activity.role == Role::kMemcpy;
}

/// What keeps a GPU busy. Ranges and waits that a viewer shows on a stream do not.
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

/// The work of each GPU that had some; by begin, as in the timeline.
[[nodiscard]] inline std::map<std::int32_t, std::vector<Activity>> work_by_device(
    const Timeline& timeline) {
  std::map<std::int32_t, std::vector<Activity>> by_device;
  for (const Activity& activity : timeline.activities) {
    if (is_device_work(activity)) by_device[activity.device].push_back(activity);
  }
  return by_device;
}

}  // namespace feedrate
