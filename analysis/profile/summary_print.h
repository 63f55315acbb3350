// SPDX-License-Identifier: Apache-2.0
// The summaries as tables for a terminal, named and arranged as the PyTorch profiler's
// TensorBoard plugin and the courses that teach with it show them. Any thread; the stream is the
// caller's.
#pragma once
#include <iosfwd>
#include <vector>

#include "analysis/profile/summary.h"

namespace feedrate {

/// Category, Time Duration (us), Percentage (%).
void print_execution_summary(std::ostream& out, const ExecutionSummary& summary);

/// A column for each GPU; "-" for what the trace does not say.
void print_gpu_summary(std::ostream& out, const std::vector<GpuSummary>& gpus);

/// Each piece with its evidence; "N/A" without any, as the plugin says.
void print_advice(std::ostream& out, const std::vector<Advice>& advice);

/// All three and, before the last one, gpu_time_print.h's; an empty line between them.
void print_summary(std::ostream& out, const ProfileSummary& summary);

}  // namespace feedrate
