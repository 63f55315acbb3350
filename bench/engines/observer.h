// SPDX-License-Identifier: Apache-2.0
// An observer watches one start of a loader and adds figures to its result. Each observer is one
// file in observers/ that includes no other; make_observers() makes them, both engines call them.
//
// All calls come from the thread of CellEngine::run(), in the order of their declaration, each at
// most once, and never within a step. A start that fails calls only the destructor.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "bench/engines/protocol.h"
#include "bench/engines/recorded_trace.h"
#include "bench/plan/cell_spec.h"
#include "core/result.h"
#include "device/device.h"
#include "device/nvml_telemetry.h"

namespace feedrate {

/// Facts that an engine has before it makes the loader. All that they refer to outlives the
/// observers.
struct StartContext {
  const CellSpec& cell;
  /// This process and the children that it waits for do the I/O of the start.
  pid_t process = 0;
  Device* device = nullptr;  ///< null if another process has opened it
  std::function<DeviceInfo()> device_info = {};
  std::filesystem::path dataset = {};             ///< any path of it; empty: none
  std::vector<std::filesystem::path> files = {};  ///< some_of() the dataset's files
  std::optional<double> staging_time = {};        ///< in seconds
  std::function<double()> gemm_peak = {};         ///< the device's peak in FLOP/s; may be empty
};

/// The result of a start. The engine sets what it measured, the observers add the rest.
struct StartReport {
  Measurement measurement = {};
  std::string loader_name = {};                         ///< Loader::profile_name()
  std::uint64_t pinned_bytes = 0;                       ///< after the last step
  std::optional<std::uint64_t> batches_per_epoch = {};  ///< unknown for an iterable dataset
  std::uint64_t samples_dropped = 0;                    ///< per epoch
  Repeat repeat = {};                                   ///< begins with summarize(measurement)
  std::vector<std::string> warnings = {};               ///< why the figures may be wrong
  std::optional<GpuTelemetry> telemetry = {};           ///< from gpu_monitor, in the window
  std::optional<RecordedTrace> recorded = {};           ///< from gpu_trace

  void add(std::string tag, double value) { repeat.metrics.push_back({std::move(tag), value}); }
};

class StartObserver {
 public:
  StartObserver() = default;
  StartObserver(const StartObserver&) = delete;
  StartObserver& operator=(const StartObserver&) = delete;
  /// Ends the observation if it has not ended.
  virtual ~StartObserver() = default;

  virtual void before_loader() {}
  /// Called before the first discarded step, so a slow start of the observer disturbs no kept step.
  virtual void begin_window() {}
  /// Called after the last kept step; the device may still be busy.
  virtual void end_window() {}
  /// The device is idle. A loader in this process still exists.
  virtual void device_idle() {}
  /// Loader and workers have ended; their I/O now counts as that of StartContext::process.
  virtual void after_loader(StartReport& report) = 0;
};

}  // namespace feedrate
