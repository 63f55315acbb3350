// SPDX-License-Identifier: Apache-2.0
// Prints the summaries as tables for a terminal, with the names and layout of the PyTorch
// profiler's TensorBoard plugin. Any thread; the caller owns the stream.
#pragma once
#include <iosfwd>
#include <vector>

#include "analysis/profile/summary.h"

namespace feedrate {

/// One column per GPU; "-" for values not recorded.
void print_gpu_summary(std::ostream& out, const std::vector<GpuSummary>& gpus);

/// Prints the work and idle time of GPUs during the steps, and of GPUs and streams over the whole
/// timeline, each table followed by an empty line; nothing without a GPU.
void print_gpu_times(std::ostream& out, const ProfileSummary& summary);

/// Prints the execution summary, the two above and the advice, "N/A" without any, as the plugin
/// does, separated by empty lines.
void print_summary(std::ostream& out, const ProfileSummary& summary);

}  // namespace feedrate
