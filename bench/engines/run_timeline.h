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
#include "device/device.h"

namespace feedrate {

struct RunTimelineOptions {
  std::string loader_name = {};  ///< Loader::profile_name()
  std::string host_name = {};    ///< of the host's own work in a step: empty where there is none
  HostMemory memory = HostMemory::kPageable;  ///< of the batches
  bool side_stream = false;                   ///< of the copies
  bool non_blocking = false;
  std::size_t sync_every = 1;
  std::size_t device_prefetch = 0;  ///< a step launches the kernels of the batch N before
  std::string device_name = {};
  std::uint64_t device_memory = 0;
  int multiprocessors = 0;  ///< of the device; 0: not known
  int compute_major = 0;    ///< of its compute capability; 0: not known
  int compute_minor = 0;
  const RecordedTrace* recorded = nullptr;  ///< what a tracer saw of the device; may be null
  ProfileSchedule schedule = {};
};

/// Shows the whole long epoch, its start among it, and marks the steps that the schedule records:
/// they alone are summed up.
[[nodiscard]] Timeline make_run_timeline(const Measurement& measurement,
                                         const RunTimelineOptions& options);

}  // namespace feedrate
