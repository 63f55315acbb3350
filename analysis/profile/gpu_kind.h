// SPDX-License-Identifier: Apache-2.0
// Whose GPU it is, and what its vendor calls its generation. Pure functions; any thread.
#pragma once
#include <string>

#include "analysis/profile/timeline.h"

namespace feedrate {

/// No NVIDIA GPU has warps of 64 threads, and some traces leave the name out.
[[nodiscard]] bool is_amd(const GpuProperties& gpu);

/// "compute capability 9.0" of NVIDIA; of AMD, whose properties have the same fields, the
/// architecture without its stepping: "architecture gfx94x". REQUIRES: compute_major > 0
[[nodiscard]] std::string capability_text(const GpuProperties& gpu);

/// The same without the noun, for a table that has it; "-" where it was not recorded.
[[nodiscard]] std::string capability_number(const GpuProperties& gpu);

}  // namespace feedrate
