// SPDX-License-Identifier: Apache-2.0
#include "loaders/batch_maker.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace feedrate {

BatchSampler make_batch_sampler(const Dataset& dataset, const ResolvedLoaderOptions& options) {
  return BatchSampler(
      {.records = dataset.size(),
       .batch_size = options.batch_size,
       .shuffle = options.shuffle,
       .shuffle_window = options.shuffle_window,
       .drop_last = options.drop_last,
       .seed = options.seed,
       .shard = options.shard,
       .lengths = options.group_by_length ? dataset.lengths({}) : std::vector<std::uint32_t>()});
}

Batch make_batch(const BatchTask& task, Fetcher& fetcher, std::shared_ptr<BatchMemory> memory,
                 Nanos sample, const LinearCost& cost, Clock& clock) {
  Batch batch;
  batch.history.fetch_begin = clock.now();
  batch.sequence = task.sequence;
  batch.epoch = task.epoch;
  batch.buffer = std::move(memory);
  batch.labels.reserve(task.indices.size());
  fetcher.fetch(task, batch);
  const auto samples = static_cast<Nanos::rep>(task.indices.size());
  spend(clock, samples * sample + cost.of(batch.bytes_used));
  batch.history.fetch_end = clock.now();
  return batch;
}

}  // namespace feedrate
