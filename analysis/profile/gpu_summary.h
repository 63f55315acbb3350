// SPDX-License-Identifier: Apache-2.0
// How well the steps use each GPU: the GPU Summary of the PyTorch profiler's TensorBoard plugin
// (kineto, tb_plugin/torch_tb_profiler/profiler/gpu_metrics_parser.py). Pure functions; any thread.
//
// All figures are of the window from the first step's begin to the last one's end, and are shares,
// 0 to 1. What the trace did not record is empty, never 0.
#pragma once
#include <optional>
#include <vector>

#include "analysis/profile/steps.h"
#include "analysis/profile/timeline.h"

namespace feedrate {

/// Memory is told in GiB, which the plugin calls GB.
inline constexpr double kBytesPerGiB = 1024.0 * 1024.0 * 1024.0;

struct GpuSummary {
  GpuProperties properties;  ///< only `device` where the trace says nothing else
  /// Of the window, with a kernel running; copies do not count.
  double utilization = 0.0;
  /// Mean over the window of min(1, blocks per multiprocessor of the kernels running).
  std::optional<double> sm_efficiency = std::nullopt;
  /// Mean of the kernels' estimates, weighted by their time. A kernel counts with 0 where the trace
  /// has its blocks: kineto rounds small ones to 0 %.
  std::optional<double> achieved_occupancy = std::nullopt;
  /// Of the kernels' time, by name; empty where a kernel's name was not recorded, or tells nothing.
  std::optional<double> tensor_core_share = std::nullopt;
};

/// Of each GPU that ran a kernel, by its number; none without a window. `steps` as
/// adjusted_steps() gives them.
[[nodiscard]] std::vector<GpuSummary> gpu_summaries(const Timeline& timeline,
                                                    const std::vector<StepSpan>& steps);

}  // namespace feedrate
