// SPDX-License-Identifier: Apache-2.0
// Computes the series and figures of a result from a monitor's record. docs/columns.md and
// docs/monitoring.md define them. Pure functions; any thread.
#pragma once
#include <optional>
#include <vector>

#include "bench/engines/monitor_record.h"
#include "core/result.h"
#include "device/nvml_telemetry.h"

namespace feedrate {

/// Further processes and processors get no series; the sums include them.
inline constexpr std::size_t kMostProcessSeries = 16;
inline constexpr std::size_t kMostCpuSeries = 32;

/// The foreign load between two marks, as metrics cpus, foreign_cpu, steal and disturbed; empty if
/// it is unknown or the time was too short.
[[nodiscard]] std::vector<Metric> foreign_load_metrics(const CpuLoadMark& begin,
                                                       const CpuLoadMark& end);

/// Adds the metrics memory, monitor_cpu, cpu_busy, memory_used, network_busy, gpu_memory_used,
/// those of foreign load, and the series monitor_*; only the metric memory if the record has only
/// memory. `gpu` began with the window.
void add_monitored(Repeat& repeat, const MonitorRecord& record,
                   const std::optional<GpuTelemetry>& gpu);

}  // namespace feedrate
