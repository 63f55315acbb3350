// SPDX-License-Identifier: Apache-2.0
// What watches one start of a loader and adds figures to its result. Each observer is one file in
// observers/ that includes no other; make_observers() makes them, and both engines call them.
//
// All calls come from the thread of CellEngine::run(), in the order of their declaration, each at
// most once, and never within a step: a start that fails ends with the destructor alone.
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

/// What an engine knows of a start before its loader is made. What it refers to outlives the
/// observers.
struct StartContext {
  const CellSpec& cell;
  /// Whose I/O is that of the start: it loads, or waits for the processes that do.
  pid_t process = 0;
  Device* device = nullptr;  ///< null: another process has it
  std::function<DeviceInfo()> device_info = {};
  std::filesystem::path dataset = {};             ///< any path of it; empty: none
  std::vector<std::filesystem::path> files = {};  ///< of the dataset, some_of() them
  std::optional<double> staging_time = {};        ///< in seconds
  std::function<double()> gemm_peak = {};         ///< of the device, in FLOP/s; may be empty
};

/// What came of a start. The engine gives what it measured, the observers add the rest.
struct StartReport {
  Measurement measurement = {};
  std::string loader_name = {};                         ///< Loader::profile_name()
  std::uint64_t pinned_bytes = 0;                       ///< when the last step was done
  std::optional<std::uint64_t> batches_per_epoch = {};  ///< not known of an iterable dataset
  std::uint64_t samples_dropped = 0;                    ///< of an epoch
  Repeat repeat = {};                                   ///< begins with summarize(measurement)
  std::vector<std::string> warnings = {};               ///< reasons to doubt the figures
  std::optional<GpuTelemetry> telemetry = {};           ///< of the window, from gpu_monitor
  std::optional<RecordedTrace> recorded = {};           ///< from gpu_trace

  void add(std::string tag, double value) { repeat.metrics.push_back({std::move(tag), value}); }
};

class StartObserver {
 public:
  StartObserver() = default;
  StartObserver(const StartObserver&) = delete;
  StartObserver& operator=(const StartObserver&) = delete;
  /// Ends what has not ended.
  virtual ~StartObserver() = default;

  virtual void before_loader() {}
  /// With the first step to be discarded: what begins here may take its time.
  virtual void begin_window() {}
  /// After the last kept step; the device may still be at work.
  virtual void end_window() {}
  /// The device has done its work. A loader of this process still lives.
  virtual void device_idle() {}
  /// Loader and workers are gone, and what they read counts as StartContext::process's.
  virtual void after_loader(StartReport& report) = 0;
};

}  // namespace feedrate
