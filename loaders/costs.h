// SPDX-License-Identifier: Apache-2.0
// The costs of Python's DataLoader beyond those of the native loader. They are spent as CPU time
// where PyTorch spends them, on the same threads. See docs/cost-profile.md.
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

/// All costs are zero unless `emulate` asks for them.
struct LoaderCosts {
  Nanos inline_sample{};    ///< per sample, without workers: __getitem__ and its transforms
  Nanos worker_sample{};    ///< per sample, in a worker, where PyTorch has one thread
  LinearCost inline_batch;  ///< per batch, without workers, in the consumer: collate
  LinearCost worker_batch;  ///< per batch, in a worker: collate and pickle
  LinearCost receive;       ///< per batch, in the receiving thread: unpickle, get descriptors, map
  LinearCost pin;           ///< per batch, in the pin thread, or without workers in the consumer
  Nanos dispatch{};         ///< per batch from a worker, in the consumer: the rest of next()
  Nanos worker_start{};     ///< per worker, in the consumer, sequentially
  Nanos first_task{};       ///< per worker, in the worker, before its first task
  Nanos worker_exit{};      ///< per worker, in the worker, at the exit of its process
  Nanos worker_stop{};      ///< per worker, in the consumer, at the end of an epoch
  Nanos resume{};           ///< per persistent worker, in the worker, at the start of an epoch
};

inline void spend(Clock& clock, Nanos cost) {
  if (cost > Nanos(0)) clock.work_for(cost);
}

}  // namespace feedrate
