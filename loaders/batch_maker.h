// The steps that every loader shares: its sampler, its buffers, and a task become a batch.
#pragma once
#include "loaders/batch.h"
#include "loaders/buffer_pool.h"
#include "loaders/dataset.h"
#include "loaders/options.h"
#include "loaders/sampler.h"

namespace feedrate {

[[nodiscard]] BatchSampler make_batch_sampler(const Dataset& dataset,
                                              const ResolvedLoaderOptions& options);

/// Buffers of a full batch each.
[[nodiscard]] BufferPool make_batch_pool(const Dataset& dataset,
                                         const ResolvedLoaderOptions& options, Device& device);

/// Thread-safe as far as each thread has its own fetcher.
[[nodiscard]] Batch make_batch(const BatchTask& task, Fetcher& fetcher, BufferPool& pool);

}  // namespace feedrate
