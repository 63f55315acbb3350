// SPDX-License-Identifier: Apache-2.0
// Advice from the monitoring of a cell: keep the GPU at 90 % or more, and fill no memory, CPU or
// network. Pure functions; any thread.
#pragma once
#include <string>
#include <vector>

#include "core/result.h"

namespace feedrate {

/// The target of the lecture (docs/monitoring.md).
inline constexpr double kGpuTarget = 0.90;
/// Thresholds of a full resource, our choice (docs/monitoring.md).
inline constexpr double kCpuFull = 0.95;
inline constexpr double kMemoryFull = 0.90;
inline constexpr double kGpuMemoryFull = 0.95;
inline constexpr double kNetworkFull = 0.80;
/// Bytes per second of a hard disk and an NVMe drive with large reads, from the lecture.
inline constexpr double kDiskRate = 150e6;
inline constexpr double kNvmeRate = 3e9;

/// False if other programs disturbed the cell.
[[nodiscard]] bool has_full_cpus(const CellResult& cell);

/// One sentence per advice, GPU first. Empty for a limit or a cell without monitoring.
[[nodiscard]] std::vector<std::string> resource_advice(const CellResult& cell);

}  // namespace feedrate
