// SPDX-License-Identifier: Apache-2.0
// Makes a timeline of one start of a loader: the training loop, its workers and pin thread, and the
// device's streams. `sweep --trace` draws it and `sweep --profile` sums it up.
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
  HostMemory memory = HostMemory::kPageable;  ///< where batches are
  DeviceTrainerOptions transfer = {};
  DeviceInfo device = {};
  const RecordedTrace* recorded = nullptr;  ///< a tracer's record of the device; may be null
  ProfileSchedule schedule = {};
};

/// Shows the whole long epoch with its start, and marks the steps that the schedule records: only
/// they are summed up.
[[nodiscard]] Timeline make_run_timeline(const Measurement& measurement,
                                         const RunTimelineOptions& options);

}  // namespace feedrate
