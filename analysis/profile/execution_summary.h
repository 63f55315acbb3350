// SPDX-License-Identifier: Apache-2.0
// Where the time of a step goes: the Execution Summary of the PyTorch profiler's TensorBoard plugin
// (kineto, tb_plugin/torch_tb_profiler/profiler/overall_parser.py). Pure functions; any thread.
//
// Each moment of the steps goes to the first role, in the order of enum Role, that has an activity
// then, on whatever thread or stream; moments without any are "Other". So a loader that works while
// the GPU does costs nothing, and the roles of a step sum up to the step.
//
// Differences from the plugin: where the roles until then cover all steps (kernels without a gap,
// say), it starts over with the next role and counts times twice; here what is left is nothing. It
// drops the user's ranges, next() among them, and counts calls of the driver and collectives that
// it does not know by the operator as nothing and as kernels; here they are CPU Exec, DataLoader,
// Runtime and Communication.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/profile/steps.h"
#include "analysis/profile/timeline.h"

namespace feedrate {

/// The place of the time that no role has: what is not counted is shown as "Other".
inline constexpr Role kOtherRole = Role::kUncounted;
inline constexpr std::size_t kRoleCount = static_cast<std::size_t>(kOtherRole) + 1;

struct StepCosts {
  StepSpan step;
  std::array<Nanos, kRoleCount> by_role{};

  [[nodiscard]] Nanos operator[](Role role) const {
    return by_role[static_cast<std::size_t>(role)];
  }
};

/// Means are over the steps; all are 0 without steps.
struct ExecutionSummary {
  std::vector<StepCosts> steps;
  double step_seconds = 0.0;
  std::array<double, kRoleCount> mean_seconds{};

  [[nodiscard]] double seconds(Role role) const {
    return mean_seconds[static_cast<std::size_t>(role)];
  }
  /// Of the step, 0 to 1.
  [[nodiscard]] double share(Role role) const {
    return step_seconds > 0.0 ? seconds(role) / step_seconds : 0.0;
  }
};

/// `steps` as adjusted_steps() gives them.
[[nodiscard]] ExecutionSummary execution_summary(const Timeline& timeline,
                                                 const std::vector<StepSpan>& steps);

/// As the plugin's table calls it: "Kernel", "CPU Exec", "Other".
[[nodiscard]] std::string_view role_title(Role role);

}  // namespace feedrate
