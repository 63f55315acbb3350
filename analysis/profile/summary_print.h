// SPDX-License-Identifier: Apache-2.0
// Prints the summaries as tables for a terminal, with the names and layout of the PyTorch
// profiler's TensorBoard plugin. Any thread; the caller owns the stream.
#pragma once
#include <iosfwd>
#include <vector>

#include "analysis/profile/summary.h"

namespace feedrate {

/// Columns: Category, Time Duration (us), Percentage (%).
void print_execution_summary(std::ostream& out, const ExecutionSummary& summary);

/// One column per GPU; "-" for values not recorded.
void print_gpu_summary(std::ostream& out, const std::vector<GpuSummary>& gpus);

/// Prints each advice with its evidence; "N/A" without any, as the plugin does.
void print_advice(std::ostream& out, const std::vector<Advice>& advice);

/// Prints all three and, before the last one, print_gpu_times(), separated by empty lines.
void print_summary(std::ostream& out, const ProfileSummary& summary);

}  // namespace feedrate
