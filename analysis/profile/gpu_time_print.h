// SPDX-License-Identifier: Apache-2.0
// What each GPU and its streams did and waited for, as tables below the GPU Summary. Any thread;
// the stream is the caller's.
#pragma once
#include <iosfwd>
#include <vector>

#include "analysis/profile/summary.h"

namespace feedrate {

/// Of the steps: kernels, copies, and what the host did while the GPU was idle. A column a GPU.
void print_device_times(std::ostream& out, const std::vector<DeviceTimes>& devices);

/// Of the whole timeline. A row a GPU.
void print_temporal_breakdown(std::ostream& out, const std::vector<TemporalBreakdown>& gpus);

/// Of the whole timeline. A row a stream.
void print_idle_breakdown(std::ostream& out, const std::vector<IdleBreakdown>& streams);

/// All three, an empty line after each; nothing without a GPU.
void print_gpu_times(std::ostream& out, const ProfileSummary& summary);

}  // namespace feedrate
