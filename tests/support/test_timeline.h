// SPDX-License-Identifier: Apache-2.0
// Builds small timelines: in microseconds, with one GPU and one training thread by default.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/profile/timeline.h"

namespace feedrate {

[[nodiscard]] inline TimeInterval micros(std::int64_t begin, std::int64_t end) {
  return {std::chrono::microseconds(begin), std::chrono::microseconds(end)};
}

/// Returned references are valid until the next call.
class TestTimeline {
 public:
  static constexpr std::int64_t kProcess = 1000;
  static constexpr std::int64_t kThread = 1001;
  static constexpr std::int64_t kStream = 7;

  TestTimeline() = default;
  /// With one marked step, number 0.
  explicit TestTimeline(TimeInterval of_step) { step(0, of_step); }

  Activity& host(Role role, std::string_view name, TimeInterval span,
                 std::int64_t thread = kThread) {
    Activity& activity = add(role, name, span);
    activity.process = kProcess;
    activity.lane = thread;
    return activity;
  }

  Activity& gpu(Role role, std::string_view name, TimeInterval span, std::int64_t stream = kStream,
                std::int32_t device = 0) {
    Activity& activity = add(role, name, span);
    activity.device = device;
    activity.process = device;
    activity.lane = stream;
    return activity;
  }

  void launch(TimeInterval call, TimeInterval kernel, std::int64_t stream = kStream) {
    const std::uint64_t correlation = next_correlation();
    host(Role::kRuntime, "cudaLaunchKernel", call).correlation = correlation;
    gpu(Role::kKernel, "kernel", kernel, stream).correlation = correlation;
  }

  void step(std::int64_t number, TimeInterval span) { timeline_.steps.push_back({number, span}); }

  [[nodiscard]] std::uint64_t next_correlation() { return ++correlation_; }

  Timeline& timeline() { return timeline_; }

  [[nodiscard]] Timeline finish() {
    std::stable_sort(timeline_.activities.begin(), timeline_.activities.end(),
                     [](const Activity& a, const Activity& b) {
                       return std::tie(a.span.begin, a.role) < std::tie(b.span.begin, b.role);
                     });
    return std::move(timeline_);
  }

 private:
  Activity& add(Role role, std::string_view name, TimeInterval span) {
    Activity activity;
    activity.role = role;
    activity.name = timeline_.names.id(name);
    activity.span = span;
    timeline_.activities.push_back(activity);
    return timeline_.activities.back();
  }

  Timeline timeline_;
  std::uint64_t correlation_ = 0;
};

}  // namespace feedrate
