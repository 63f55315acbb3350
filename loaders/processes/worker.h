// SPDX-License-Identifier: Apache-2.0
// What a worker process does from its start to its end.
#pragma once
#include <atomic>
#include <cstddef>

#include "core/clock.h"
#include "loaders/dataset.h"
#include "loaders/options.h"
#include "loaders/processes/transport/transport.h"

namespace feedrate {

/// What a worker got from its parent. Nothing is owned.
struct WorkerSetup {
  std::size_t number;
  int tasks;                      ///< socket of frames
  int results;                    ///< socket of packets
  const std::atomic<bool>& done;  ///< in memory shared with the parent: begin nothing more
  const Dataset& dataset;
  const ResolvedLoaderOptions& options;
  TensorTransport& transport;
  Clock& clock;
};

/// Does one request after the other until there is no parent or it says that all is done.
void run_worker(const WorkerSetup& setup);

}  // namespace feedrate
