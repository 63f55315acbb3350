// SPDX-License-Identifier: Apache-2.0
// The GPU Summary of the PyTorch profiler's TensorBoard plugin (kineto,
// tb_plugin/torch_tb_profiler/profiler/gpu_metrics_parser.py): how well the steps use each GPU.
// Pure functions; any thread.
//
// All figures are shares, 0 to 1, of the window from the first step's begin to the last step's end.
// Values that the trace did not record are empty, never 0.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/profile/steps.h"
#include "analysis/profile/timeline.h"

namespace feedrate {

/// Memory is printed in GiB; the plugin calls them GB.
inline constexpr double kBytesPerGiB = 1024.0 * 1024.0 * 1024.0;

struct GpuSummary {
  GpuProperties properties;  ///< only `device` is set if the trace has no properties
  /// Share of the window with a kernel running; copies do not count.
  double utilization = 0.0;
  /// Mean over the window of min(1, blocks per multiprocessor of the kernels running).
  std::optional<double> sm_efficiency = std::nullopt;
  /// Mean of the kernels' estimates, weighted by their time. A kernel whose blocks are recorded
  /// counts even with 0: kineto rounds small estimates to 0 %.
  std::optional<double> achieved_occupancy = std::nullopt;
  /// Share of the kernels' time, by name; empty if a kernel has no name or names do not tell.
  std::optional<double> tensor_core_share = std::nullopt;
};

/// Decides by the name, or by warps of 64 threads, which no NVIDIA GPU has: some traces omit the
/// name.
[[nodiscard]] bool is_amd(const GpuProperties& gpu);

/// "9.0" for NVIDIA's compute capability. For AMD, whose properties have the same fields, the
/// architecture without its stepping: "gfx94x". "-" if not recorded.
[[nodiscard]] std::string capability_number(const GpuProperties& gpu);

/// One summary per GPU that ran a kernel, by its number; none without a window. `steps` are those
/// of adjusted_steps().
[[nodiscard]] std::vector<GpuSummary> gpu_summaries(const Timeline& timeline,
                                                    const std::vector<StepSpan>& steps);

}  // namespace feedrate
