// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/execution_summary.h"

#include <utility>

#include "analysis/profile/device_work.h"

namespace feedrate {
namespace {

using TimesByRole = std::array<std::vector<TimeInterval>, kRoleCount>;

TimesByRole spans_by_role(const std::vector<Activity>& activities) {
  TimesByRole spans;
  for (const Activity& activity : activities) {
    if (activity.role == Role::kUncounted) continue;
    spans[static_cast<std::size_t>(activity.role)].push_back(activity.span);
  }
  return spans;
}

TimesByRole distribute(std::vector<TimeInterval> free, TimesByRole spans) {
  TimesByRole shares;
  for (std::size_t role = 0; role + 1 < kRoleCount; ++role) {
    shares[role] = intersection(free, std::move(spans[role]));
    free = subtraction(std::move(free), shares[role]);
  }
  shares.back() = std::move(free);
  return shares;
}

}  // namespace

ExecutionSummary execution_summary(const Timeline& timeline, const std::vector<StepSpan>& steps) {
  const TimesByRole shares = distribute(step_times(steps), spans_by_role(timeline.activities));
  ExecutionSummary summary;
  const auto count = static_cast<double>(steps.size());
  for (const StepSpan& step : steps) {
    StepCosts costs{step, {}};
    summary.step_seconds += to_seconds(step.span.length()) / count;
    for (std::size_t role = 0; role < kRoleCount; ++role) {
      costs.by_role[role] = length_within(shares[role], step.span);
      summary.mean_seconds[role] += to_seconds(costs.by_role[role]) / count;
    }
    summary.steps.push_back(costs);
  }
  return summary;
}

std::string_view role_title(Role role) {
  static constexpr std::array<std::string_view, kRoleCount> kTitles = {
      "Kernel", "Memcpy", "Memset", "Communication", "Runtime", "DataLoader", "CPU Exec", "Other"};
  return kTitles[static_cast<std::size_t>(role)];
}

}  // namespace feedrate
