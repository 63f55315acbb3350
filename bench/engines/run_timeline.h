// SPDX-License-Identifier: Apache-2.0
// One start of a loader as a timeline: the training loop, its workers and pin thread, and the
// device's streams. What `sweep --trace` draws and `sweep --profile` sums up.
#pragma once
#include <cstdint>
#include <string>

#include "analysis/profile/schedule.h"
#include "analysis/profile/timeline.h"
#include "bench/engines/protocol.h"
#include "bench/engines/recorded_trace.h"
#include "bench/trainers/trainer.h"
#include "device/device.h"

namespace feedrate {

struct RunTimelineOptions {
  std::string loader_name = {};               ///< Loader::profile_name()
  HostMemory memory = HostMemory::kPageable;  ///< of the batches
  DeviceTrainerOptions transfer = {};
  DeviceInfo device = {};
  const RecordedTrace* recorded = nullptr;  ///< what a tracer saw of the device; may be null
  ProfileSchedule schedule = {};
};

/// Shows the whole long epoch, its start among it, and marks the steps that the schedule records:
/// they alone are summed up.
[[nodiscard]] Timeline make_run_timeline(const Measurement& measurement,
                                         const RunTimelineOptions& options);

}  // namespace feedrate
