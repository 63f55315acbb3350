// SPDX-License-Identifier: Apache-2.0
// What DataLoader costs in Python beyond what the native one does: added as processor time, at the
// places and on the threads where PyTorch spends it. See docs/cost-profile.md.
#pragma once
#include <cstddef>

#include "core/clock.h"

namespace feedrate {

/// A cost that grows with the bytes of a batch.
struct LinearCost {
  Nanos fixed{};
  double ns_per_byte = 0.0;

  [[nodiscard]] Nanos of(std::size_t bytes) const noexcept {
    return fixed + Nanos(static_cast<Nanos::rep>(ns_per_byte * static_cast<double>(bytes)));
  }
};

/// All zero: the native loader as it is.
struct LoaderCosts {
  Nanos inline_sample{};    ///< a sample, without workers: __getitem__ and its transforms
  Nanos worker_sample{};    ///< a sample, in the worker, whose PyTorch has one thread only
  LinearCost inline_batch;  ///< a batch, without workers, in the consumer: collate
  LinearCost worker_batch;  ///< a batch, in the worker: collate and pickle
  LinearCost receive;       ///< a batch, in the receiving thread: unpickle, get descriptors, map
  LinearCost pin;           ///< a batch, in the pin thread, or without workers in the consumer
  Nanos dispatch{};         ///< a batch returned by workers, in the consumer: the rest of next()
  Nanos worker_start{};     ///< a worker, in the consumer, one after the other
  Nanos first_task{};       ///< in a worker just started, before its first task
  Nanos worker_exit{};      ///< in a worker, after its last task: the end of its process
  Nanos worker_stop{};      ///< a worker, in the consumer, at the end of an epoch
  Nanos resume{};           ///< in a persistent worker, at the start of an epoch
};

inline void spend(Clock& clock, Nanos cost) {
  if (cost > Nanos(0)) clock.work_for(cost);
}

}  // namespace feedrate
