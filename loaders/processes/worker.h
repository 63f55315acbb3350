// SPDX-License-Identifier: Apache-2.0
// The main loop of a worker process.
#pragma once
#include <atomic>
#include <cstddef>

#include "core/clock.h"
#include "loaders/dataset.h"
#include "loaders/options.h"
#include "loaders/processes/transport/transport.h"

namespace feedrate {

/// Values that a worker gets from its parent; it owns none of them.
struct WorkerSetup {
  std::size_t number;
  int tasks;                      ///< receives requests, as frames
  int results;                    ///< sends replies, as packets
  const std::atomic<bool>& done;  ///< in shared memory; if true, begin no more tasks
  const Dataset& dataset;
  const ResolvedLoaderOptions& options;
  TensorTransport& transport;
  Clock& clock;
};

/// Handles requests sequentially until the parent closes the socket or sets `done`.
void run_worker(const WorkerSetup& setup);

}  // namespace feedrate
