// SPDX-License-Identifier: Apache-2.0
// From looks at the machine to what results hold: series over the cell's time, and a few figures of
// its window. The definitions are those of docs/columns.md and docs/monitoring.md. Pure functions;
// any thread.
#pragma once
#include <optional>
#include <vector>

#include "bench/engines/monitor_record.h"
#include "core/result.h"
#include "device/nvml_telemetry.h"

namespace feedrate {

/// Series of more processes and processors are left out; their sums hold all.
inline constexpr std::size_t kMostProcessSeries = 16;
inline constexpr std::size_t kMostCpuSeries = 32;

/// What others took of the CPUs between two marks: cpus, foreign_cpu, steal and disturbed; nothing
/// where it cannot be told, as where the time was too short.
[[nodiscard]] std::vector<Metric> foreign_load_metrics(const CpuLoadMark& begin,
                                                       const CpuLoadMark& end);

/// Adds the metrics memory, monitor_cpu, cpu_busy, memory_used, network_busy, gpu_memory_used,
/// those of foreign load, and the series monitor_*; of a record of memory alone only memory. `gpu`
/// began with the window.
void add_monitored(Repeat& repeat, const MonitorRecord& record,
                   const std::optional<GpuTelemetry>& gpu);

}  // namespace feedrate
