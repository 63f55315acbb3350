// SPDX-License-Identifier: Apache-2.0
// What the monitoring of a cell advises: the rule of the courses is to keep the GPU at 90 % or more
// and to max out no memory, CPU or network on the way. Pure functions; any thread.
#pragma once
#include <string>
#include <vector>

#include "core/result.h"

namespace feedrate {

/// "GPU at 90 % or more", as the lecture puts it.
inline constexpr double kGpuAim = 0.90;
/// From here on something counts as maxed out: our reading of "avoid", docs/monitoring.md.
inline constexpr double kCpuFull = 0.95;
inline constexpr double kMemoryFull = 0.90;
inline constexpr double kGpuMemoryFull = 0.95;
inline constexpr double kNetworkFull = 0.80;
/// Bytes a second that a hard disk and an NVMe drive give where they are read in large pieces, as
/// the lecture has them.
inline constexpr double kDiskRate = 150e6;
inline constexpr double kNvmeRate = 3e9;

/// By what the cell's own processes took: false where other programs disturbed it.
[[nodiscard]] bool has_full_cpus(const CellResult& cell);

/// A sentence each, GPU first. Nothing of a cell that was not monitored, or that measures a limit.
[[nodiscard]] std::vector<std::string> resource_advice(const CellResult& cell);

}  // namespace feedrate
