// SPDX-License-Identifier: Apache-2.0
// Steps that all loaders share: they make the sampler, and they turn a task into a batch.
#pragma once
#include <memory>

#include "core/clock.h"
#include "loaders/batch.h"
#include "loaders/dataset.h"
#include "loaders/options.h"
#include "loaders/sampler.h"

namespace feedrate {

[[nodiscard]] BatchSampler make_batch_sampler(const Dataset& dataset,
                                              const ResolvedLoaderOptions& options);

/// Fetches the batch of a task, and spends the emulated costs of PyTorch: `sample` per sample and
/// `cost` per batch.
/// REQUIRES: `memory` holds task.indices.size() samples
/// Thread-safe if each thread uses its own fetcher.
[[nodiscard]] Batch make_batch(const BatchTask& task, Fetcher& fetcher,
                               std::shared_ptr<BatchMemory> memory, Nanos sample,
                               const LinearCost& cost, Clock& clock);

}  // namespace feedrate
