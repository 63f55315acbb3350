// SPDX-License-Identifier: Apache-2.0
// The time of a step by role: the Execution Summary of the PyTorch profiler's TensorBoard plugin
// (kineto, tb_plugin/torch_tb_profiler/profiler/overall_parser.py). Pure functions; any thread.
//
// Each moment of the steps goes to the first role, in the order of enum Role, that has an activity
// at that moment on any thread or stream; moments without any are "Other". So a loader that works
// while the GPU works costs nothing, and the roles of a step sum up to the step.
//
// Differences from the plugin: if the roles considered cover all steps (kernels without a gap, for
// example), the plugin starts over with the next role and counts times twice; here the remaining
// roles get nothing. The plugin drops the user's ranges, among them next(), and counts driver calls
// as nothing and collectives that it does not know by the operator as kernels; here they are CPU
// Exec, DataLoader, Runtime and Communication.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/profile/steps.h"
#include "analysis/profile/timeline.h"

namespace feedrate {

/// The index of time without a role, shown as "Other".
inline constexpr Role kOtherRole = Role::kUncounted;
inline constexpr std::size_t kRoleCount = static_cast<std::size_t>(kOtherRole) + 1;

struct StepCosts {
  StepSpan step;
  std::array<Nanos, kRoleCount> by_role{};

  [[nodiscard]] Nanos operator[](Role role) const {
    return by_role[static_cast<std::size_t>(role)];
  }
};

/// Means over the steps; all are 0 without steps.
struct ExecutionSummary {
  std::vector<StepCosts> steps;
  double step_seconds = 0.0;
  std::array<double, kRoleCount> mean_seconds{};

  [[nodiscard]] double seconds(Role role) const {
    return mean_seconds[static_cast<std::size_t>(role)];
  }
  /// Share of the step, 0 to 1.
  [[nodiscard]] double share(Role role) const {
    return step_seconds > 0.0 ? seconds(role) / step_seconds : 0.0;
  }
};

/// `steps` are those of adjusted_steps().
[[nodiscard]] ExecutionSummary execution_summary(const Timeline& timeline,
                                                 const std::vector<StepSpan>& steps);

/// The role's title in the plugin's table: "Kernel", "CPU Exec", "Other".
[[nodiscard]] std::string_view role_title(Role role);

}  // namespace feedrate
