// SPDX-License-Identifier: Apache-2.0
// Prints tables of the work and idle time of GPUs and streams, below the GPU Summary. Any thread;
// the caller owns the stream.
#pragma once
#include <iosfwd>
#include <vector>

#include "analysis/profile/summary.h"

namespace feedrate {

/// During the steps: kernels, copies, and the host's state while the GPU was idle. One column per
/// GPU.
void print_device_times(std::ostream& out, const std::vector<DeviceTimes>& devices);

/// Covers the whole timeline. One row per GPU.
void print_temporal_breakdown(std::ostream& out, const std::vector<TemporalBreakdown>& gpus);

/// Covers the whole timeline. One row per stream.
void print_idle_breakdown(std::ostream& out, const std::vector<IdleBreakdown>& streams);

/// Prints all three, each followed by an empty line; nothing without a GPU.
void print_gpu_times(std::ostream& out, const ProfileSummary& summary);

}  // namespace feedrate
