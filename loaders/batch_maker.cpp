#include "loaders/batch_maker.h"

namespace feedrate {

BatchSampler make_batch_sampler(const Dataset& dataset, const ResolvedLoaderOptions& options) {
  return BatchSampler({.records = dataset.size(),
                       .batch_size = options.batch_size,
                       .shuffle = options.shuffle,
                       .drop_last = options.drop_last,
                       .seed = options.seed});
}

BufferPool make_batch_pool(const Dataset& dataset, const ResolvedLoaderOptions& options,
                           Device& device) {
  return BufferPool(device, options.memory, options.batch_size * dataset.sample_bytes());
}

Batch make_batch(const BatchTask& task, Fetcher& fetcher, BufferPool& pool) {
  Batch batch;
  batch.sequence = task.sequence;
  batch.epoch = task.epoch;
  batch.buffer = pool.acquire();
  batch.labels.reserve(task.indices.size());
  fetcher.fetch(task, batch);
  return batch;
}

}  // namespace feedrate
