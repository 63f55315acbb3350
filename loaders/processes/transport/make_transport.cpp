// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "loaders/processes/transport/transport.h"

namespace feedrate {
namespace {

// Slots for the batches in flight, for the batch in use, and for the previous one if the consumer
// has not released it yet.
RingPlan plan_ring(const ResolvedLoaderOptions& options, std::size_t sample_bytes) {
  return {.workers = options.num_workers,
          .slots = options.prefetch_factor + 2,
          .sample_bytes = options.batch_size * sample_bytes,
          .label_bytes = options.batch_size * sizeof(std::int64_t)};
}

}  // namespace

std::unique_ptr<TensorTransport> make_transport(const ResolvedLoaderOptions& options,
                                                std::size_t sample_bytes) {
  switch (options.transport) {
    case Transport::kFresh:
      return make_fresh_transport();
    case Transport::kFileSystem:
      return make_file_system_transport();
    case Transport::kRing:
      break;
  }
  return make_ring_transport(plan_ring(options, sample_bytes));
}

}  // namespace feedrate
