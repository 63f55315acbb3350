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
#include "device/device.h"

namespace feedrate {

struct RunTimelineOptions {
  std::string loader_name = {};  ///< Loader::profile_name()
  std::string host_name = {};    ///< name of the host's own work in a step; empty if it has none
  HostMemory memory = HostMemory::kPageable;  ///< where batches are
  bool side_stream = false;                   ///< copies run on a stream of their own
  bool non_blocking = false;
  std::size_t sync_every = 1;
  std::size_t device_prefetch = 0;  ///< a step launches the kernels of the Nth batch before
  std::string device_name = {};
  std::uint64_t device_memory = 0;
  int multiprocessors = 0;  ///< 0: unknown
  int compute_major = 0;    ///< compute capability; 0: unknown
  int compute_minor = 0;
  const RecordedTrace* recorded = nullptr;  ///< a tracer's record of the device; may be null
  ProfileSchedule schedule = {};
};

/// Shows the whole long epoch with its start, and marks the steps that the schedule records: only
/// they are summed up.
[[nodiscard]] Timeline make_run_timeline(const Measurement& measurement,
                                         const RunTimelineOptions& options);

}  // namespace feedrate
