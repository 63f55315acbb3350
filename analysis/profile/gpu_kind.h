// SPDX-License-Identifier: Apache-2.0
// The vendor of a GPU and the vendor's name of its generation. Pure functions; any thread.
#pragma once
#include <string>

#include "analysis/profile/timeline.h"

namespace feedrate {

/// Decides by the name, or by warps of 64 threads, which no NVIDIA GPU has: some traces omit the
/// name.
[[nodiscard]] bool is_amd(const GpuProperties& gpu);

/// "compute capability 9.0" for NVIDIA. For AMD, whose properties have the same fields, the
/// architecture without its stepping: "architecture gfx94x". REQUIRES: compute_major > 0
[[nodiscard]] std::string capability_text(const GpuProperties& gpu);

/// The same without the noun; "-" if not recorded.
[[nodiscard]] std::string capability_number(const GpuProperties& gpu);

}  // namespace feedrate
