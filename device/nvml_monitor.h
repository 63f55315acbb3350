// SPDX-License-Identifier: Apache-2.0
// Samples one GPU by NVML during a measurement, as a cross-check of its timeline. Needs NVML at run
// time only. One owner and one thread; it samples on a thread of its own.
#pragma once
#include <chrono>
#include <memory>
#include <string>

#include "core/units.h"
#include "device/nvml_telemetry.h"

namespace feedrate {

class GpuMonitor {
 public:
  virtual ~GpuMonitor() = default;
  [[nodiscard]] virtual const GpuFacts& facts() const noexcept = 0;
  /// Begins a window: reads at once, then every `period`. REQUIRES: no window is open
  virtual void start(Nanos period) = 0;
  /// Reads once more and ends the window. REQUIRES: a window is open
  [[nodiscard]] virtual GpuTelemetry stop() = 0;
};

inline constexpr Nanos kMonitorPeriod = std::chrono::milliseconds(100);

struct MonitorOpened {
  std::unique_ptr<GpuMonitor> monitor = nullptr;  ///< null: monitoring is not possible
  std::string problem = {};  ///< why monitoring is not possible; empty otherwise
};

/// `pci_bus_id` is "0000:17:00.0", because NVML and CUDA number GPUs differently.
[[nodiscard]] MonitorOpened open_gpu_monitor(const std::string& pci_bus_id);

[[nodiscard]] std::string describe_nvml();

}  // namespace feedrate
