// SPDX-License-Identifier: Apache-2.0
// The steps of a timeline as the PyTorch profiler's TensorBoard plugin sees them (kineto,
// tb_plugin/torch_tb_profiler/profiler/event_parser.py). Pure functions; any thread.
//
// A mark on the host says when a step was asked for; its kernels run later. So a step ends with the
// last thing that it launched on a GPU, and the next one begins there. A launch belongs to a step
// if its call, of whatever runtime or driver, lies within the mark and bears its correlation id.
// Without any such launch the marks are the steps.
//
// The first step begins where the work that was launched before it ended. Unlike in the plugin it
// begins earlier where the host waits in next() while no GPU works: that wait belongs to no other.
//
// The last steps are left out where the profiler seems to have stopped before the GPU did: those
// that launched nothing, and then one that launched less than 80 % of what the one before did.
//
// If no steps are marked there is one, number 0, over all operators, ranges and loads of the
// host. (The plugin takes operators only; a timeline does not tell them from a user's own ranges.)
#pragma once
#include <vector>

#include "analysis/profile/timeline.h"

namespace feedrate {

/// In order and disjoint, if the marks are; empty where nothing that counts was recorded.
[[nodiscard]] std::vector<StepSpan> adjusted_steps(const Timeline& timeline);

/// From the first step's begin to the last one's end.
[[nodiscard]] TimeInterval step_window(const std::vector<StepSpan>& steps);

/// The union of the steps: disjoint and in order.
[[nodiscard]] std::vector<TimeInterval> step_times(const std::vector<StepSpan>& steps);

}  // namespace feedrate
