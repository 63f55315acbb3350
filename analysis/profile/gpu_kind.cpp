// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/gpu_kind.h"

#include <fmt/format.h>

namespace feedrate {

bool is_amd(const GpuProperties& gpu) {
  constexpr int kWarpOfAmd = 64;
  return gpu.name.starts_with("AMD") || gpu.warp_size == kWarpOfAmd;
}

std::string capability_text(const GpuProperties& gpu) {
  return fmt::format("{} {}", is_amd(gpu) ? "architecture" : "compute capability",
                     capability_number(gpu));
}

std::string capability_number(const GpuProperties& gpu) {
  if (gpu.compute_major == 0) return "-";
  if (is_amd(gpu)) return fmt::format("gfx{}{}x", gpu.compute_major, gpu.compute_minor);
  return fmt::format("{}.{}", gpu.compute_major, gpu.compute_minor);
}

}  // namespace feedrate
