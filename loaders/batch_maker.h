// SPDX-License-Identifier: Apache-2.0
// The steps that every loader shares: its sampler, and a task becomes a batch.
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

/// Does what a task asks for, and spends what PyTorch costs more: `sample` a sample, and
/// `cost` a batch.
/// REQUIRES: `memory` holds task.indices.size() samples
/// Thread-safe as far as each thread has its own fetcher.
[[nodiscard]] Batch make_batch(const BatchTask& task, Fetcher& fetcher,
                               std::shared_ptr<BatchMemory> memory, Nanos sample,
                               const LinearCost& cost, Clock& clock);

}  // namespace feedrate
