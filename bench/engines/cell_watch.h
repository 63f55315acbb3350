// Watches one start of a cell with the instruments that there are, from the first step to be
// discarded on: neither a tracer nor a monitor starts in no time, and the window is not to pay.
// One thread, that of the training loop.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "bench/engines/instruments.h"
#include "bench/engines/protocol.h"
#include "bench/engines/recorded_trace.h"
#include "core/clock.h"

namespace feedrate {

/// Empty: not watched.
struct Observations {
  std::optional<GpuTelemetry> telemetry;  ///< of the window and the discarded steps before it
  std::optional<RecordedTrace> recorded;  ///< of the same, and of what the device did afterwards
  std::string problem;                    ///< why nothing was recorded though it was wanted
};

/// What it is made of outlives it.
class CellWatch {
 public:
  /// `monitor` may be null.
  CellWatch(const Instruments& instruments, GpuMonitor* monitor, const Device& device);
  CellWatch(const CellWatch&) = delete;
  CellWatch& operator=(const CellWatch&) = delete;
  /// Ends what has not ended.
  ~CellWatch();

  /// For measure(); they refer to this.
  [[nodiscard]] ProtocolEvents events();
  /// Call it once the device is idle.
  [[nodiscard]] Observations finish();

 private:
  void begin();
  void end_window();

  const Instruments& instruments_;
  GpuMonitor* monitor_;
  const Device& device_;
  bool is_monitoring_ = false;
  std::unique_ptr<ActivityTracer> tracer_;
  Nanos recorded_from_{};
  Observations seen_;
};

}  // namespace feedrate
