// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/gpu_summary.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "analysis/profile/device_work.h"
#include "analysis/profile/tensor_cores.h"

namespace feedrate {
namespace {

using Kernels = std::vector<Activity>;

/// Spans are clipped to the window, which may make them empty.
std::map<std::int32_t, Kernels> kernels_within(const Timeline& timeline, TimeInterval window) {
  std::map<std::int32_t, Kernels> by_device;
  for (const Activity& activity : timeline.activities) {
    if (!is_kernel(activity)) continue;
    Activity kernel = activity;
    kernel.span.begin = std::clamp(kernel.span.begin, window.begin, window.end);
    kernel.span.end = std::clamp(kernel.span.end, kernel.span.begin, window.end);
    by_device[activity.device].push_back(kernel);
  }
  return by_device;
}

double seconds_of(const Activity& activity) { return to_seconds(activity.span.length()); }

double utilization(const Kernels& kernels, TimeInterval window) {
  const auto spans = spans_where(kernels, [](const Activity&) { return true; });
  return to_seconds(total_length(spans)) / to_seconds(window.length());
}

/// The begin (+1) or the end (-1) of a kernel.
struct Change {
  Nanos at;
  int kernels;
  double blocks_per_sm;
};

std::vector<Change> changes_of(const Kernels& kernels) {
  std::vector<Change> changes;
  for (const Activity& kernel : kernels) {
    if (!(kernel.blocks_per_sm > 0.0F)) continue;
    const auto blocks = static_cast<double>(kernel.blocks_per_sm);
    changes.push_back({kernel.span.begin, +1, blocks});
    changes.push_back({kernel.span.end, -1, -blocks});
  }
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.at < b.at; });
  return changes;
}

std::optional<double> sm_efficiency(const Kernels& kernels, TimeInterval window) {
  const std::vector<Change> changes = changes_of(kernels);
  if (changes.empty()) return std::nullopt;
  double busy_seconds = 0.0;
  double blocks = 0.0;
  int running = 0;
  Nanos since = changes.front().at;
  for (const Change& change : changes) {
    busy_seconds += to_seconds(change.at - since) * std::clamp(blocks, 0.0, 1.0);
    since = change.at;
    running += change.kernels;
    // Drop the sum's rounding error when no kernel runs.
    blocks = running == 0 ? 0.0 : blocks + change.blocks_per_sm;
  }
  return busy_seconds / to_seconds(window.length());
}

std::optional<double> achieved_occupancy(const Kernels& kernels) {
  double seconds = 0.0;
  double weighted = 0.0;
  bool is_recorded = false;
  for (const Activity& kernel : kernels) {
    if (!(kernel.occupancy > 0.0F || kernel.blocks_per_sm > 0.0F)) continue;
    is_recorded = is_recorded || kernel.occupancy > 0.0F;
    seconds += seconds_of(kernel);
    weighted += seconds_of(kernel) * static_cast<double>(kernel.occupancy);
  }
  if (!is_recorded || seconds <= 0.0) return std::nullopt;
  return weighted / seconds;
}

std::optional<double> tensor_core_share(const Kernels& kernels, const NameTable& names,
                                        const std::vector<bool>& is_on) {
  double seconds = 0.0;
  double on_tensor_cores = 0.0;
  for (const Activity& kernel : kernels) {
    if (names.text(kernel.name) == kUnnamedKernels) return std::nullopt;
    seconds += seconds_of(kernel);
    if (is_on[kernel.name]) on_tensor_cores += seconds_of(kernel);
  }
  if (seconds <= 0.0) return std::nullopt;
  return on_tensor_cores / seconds;
}

GpuProperties properties_of(const Timeline& timeline, std::int32_t device) {
  for (const GpuProperties& gpu : timeline.gpus) {
    if (gpu.device == device) return gpu;
  }
  GpuProperties unknown;
  unknown.device = device;
  return unknown;
}

}  // namespace

bool is_amd(const GpuProperties& gpu) {
  constexpr int kWarpOfAmd = 64;
  return gpu.name.starts_with("AMD") || gpu.warp_size == kWarpOfAmd;
}

std::string capability_number(const GpuProperties& gpu) {
  if (gpu.compute_major == 0) return "-";
  if (is_amd(gpu)) return fmt::format("gfx{}{}x", gpu.compute_major, gpu.compute_minor);
  return fmt::format("{}.{}", gpu.compute_major, gpu.compute_minor);
}

std::vector<GpuSummary> gpu_summaries(const Timeline& timeline,
                                      const std::vector<StepSpan>& steps) {
  const TimeInterval window = step_window(steps);
  if (window.end <= window.begin) return {};
  const std::vector<bool> is_on_tensor_cores = names_on_tensor_cores(timeline.names);
  const bool has_names = has_tensor_core_names(timeline);
  std::vector<GpuSummary> summaries;
  for (const auto& [device, kernels] : kernels_within(timeline, window)) {
    summaries.push_back({properties_of(timeline, device), utilization(kernels, window),
                         sm_efficiency(kernels, window), achieved_occupancy(kernels),
                         has_names ? tensor_core_share(kernels, timeline.names, is_on_tensor_cores)
                                   : std::nullopt});
  }
  return summaries;
}

}  // namespace feedrate
