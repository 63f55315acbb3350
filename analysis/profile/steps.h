// SPDX-License-Identifier: Apache-2.0
// Adjusts the steps of a timeline as the PyTorch profiler's TensorBoard plugin does (kineto,
// tb_plugin/torch_tb_profiler/profiler/event_parser.py). Pure functions; any thread.
//
// A mark on the host shows when a step was launched; its kernels run later. So a step ends with the
// last GPU work that it launched, and the next step begins there. Work belongs to a step if its
// runtime or driver call, matched by correlation id, is within the mark. If no mark contains such a
// call, the marks are the steps.
//
// The first step begins at the end of the work launched before it. Unlike in the plugin, it begins
// earlier if the host waits in next() while no GPU works, since that wait belongs to no other step.
//
// The last steps are dropped if the profiler seems to have stopped before the GPU: those that
// launched nothing, and then one that launched less than 80 % of the work of the step before it.
//
// Without marks there is one step, number 0, over all operators, ranges and loads of the host. (The
// plugin uses only operators; a timeline does not distinguish them from the user's ranges.)
#pragma once
#include <vector>

#include "analysis/profile/timeline.h"

namespace feedrate {

/// In order, and disjoint if the marks are; empty if nothing relevant was recorded.
[[nodiscard]] std::vector<StepSpan> adjusted_steps(const Timeline& timeline);

/// The window from the first step's begin to the last step's end.
[[nodiscard]] TimeInterval step_window(const std::vector<StepSpan>& steps);

/// The union of the steps: disjoint and in order.
[[nodiscard]] std::vector<TimeInterval> step_times(const std::vector<StepSpan>& steps);

}  // namespace feedrate
