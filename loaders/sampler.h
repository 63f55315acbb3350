// SPDX-License-Identifier: Apache-2.0
// Samplers: they choose the records of each batch. The order depends on (seed, epoch) only, never
// on workers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "loaders/shard.h"

namespace feedrate {

/// The order of the records in one epoch: 0..records-1, or with `shuffle` the permutation that
/// torch.randperm gives with a generator seeded by seed + epoch (as DistributedSampler seeds it):
/// MT19937, forward Fisher-Yates, i swapped with i + random() mod (n - i). PyTorch 1.13 does so for
/// every size; PyTorch 2 draws differently from 214,748,364 (2^32 / 20) records.
[[nodiscard]] std::vector<std::uint64_t> epoch_order(std::uint64_t records, bool shuffle,
                                                     std::uint64_t seed, std::uint64_t epoch);

/// A random order with locality: windows of `window` consecutive records (the last may be shorter)
/// in random order, and the records of each window in random order. Records that are read at about
/// the same time are near each other in storage, as with FFCV's OrderOption.QUASI_RANDOM. Seeded as
/// epoch_order; one torch.randperm of the windows, then one of each window in that order.
/// REQUIRES: window > 0
[[nodiscard]] std::vector<std::uint64_t> windowed_order(std::uint64_t records, std::uint64_t window,
                                                        std::uint64_t seed, std::uint64_t epoch);

/// Records of each rank: records / replicas, rounded up, or down with drop_last.
/// REQUIRES: replicas > 0
[[nodiscard]] std::uint64_t shard_size(std::uint64_t records, const Shard& shard) noexcept;

/// The order of one rank of DistributedSampler (whose own default is shuffle=True) after
/// set_epoch(epoch): epoch_order is padded by repeating it, or truncated, until all ranks have the
/// same number of records; the rank takes positions rank, rank + replicas, …
/// Throws ConfigError unless rank < replicas.
[[nodiscard]] std::vector<std::uint64_t> distributed_order(std::uint64_t records, bool shuffle,
                                                           std::uint64_t seed, std::uint64_t epoch,
                                                           const Shard& shard);

/// The successive orders of DataLoader(dataset, shuffle=True, generator=g), where g was seeded once
/// and every epoch is read to its end. One generator makes all draws: the base seed of an
/// iterator's workers, the permutation, and at the end of the epoch another permutation, which
/// RandomSampler discards. One thread.
class SeededRandomOrder {
 public:
  SeededRandomOrder(std::uint64_t records, std::uint64_t seed)
      : records_(records), random_(static_cast<std::uint32_t>(seed)) {}

  /// `new_iterator` is false from the second epoch on with persistent workers, which keep their
  /// iterator and draw no new base seed; otherwise true, also with num_workers=0.
  [[nodiscard]] std::vector<std::uint64_t> next_epoch(bool new_iterator);

 private:
  std::uint64_t records_;
  std::mt19937 random_;
};

struct BatchTask {
  std::uint64_t sequence = 0;  ///< position among the batches of this start, from 0
  std::uint64_t epoch = 0;     ///< with the record, seeds the random transforms
  std::vector<std::uint64_t> indices;
};

struct BatchSamplerOptions {
  std::uint64_t records = 0;
  std::size_t batch_size = 1;
  bool shuffle = false;
  std::uint64_t shuffle_window = 0;  ///< 0: all records; see windowed_order
  bool drop_last = false;
  std::uint64_t seed = 0;
  Shard shard = {};
  /// Sample lengths by record, to group batches by length. Empty: no
  /// grouping.
  std::vector<std::uint32_t> lengths = {};
};

/// PyTorch's BatchSampler over a sequential or shuffled order, grouped by length on request. With
/// several ranks, it takes one rank's share of that order, as Hugging Face's
/// DistributedLengthGroupedSampler does. One thread.
class BatchSampler {
 public:
  explicit BatchSampler(BatchSamplerOptions options) : options_(std::move(options)) {}

  /// Begins epoch `epoch`. With `batches`, yields exactly that number: fewer than the epoch has, or
  /// more by continuing with the following epochs, so that a rate is measured without the pause
  /// between epochs.
  void start(std::uint64_t epoch, std::optional<std::size_t> batches = std::nullopt);

  /// The next batch; empty at the end. The first call of an epoch computes the permutation, as in
  /// PyTorch.
  [[nodiscard]] std::optional<BatchTask> next();

  /// Batches of one epoch: shard_size / batch_size, rounded up, or down with drop_last.
  [[nodiscard]] std::size_t batches_per_epoch() const noexcept;

 private:
  [[nodiscard]] std::vector<std::uint64_t> order_of_epoch() const;

  BatchSamplerOptions options_;
  std::uint64_t epoch_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t last_ = 0;    // One past the last sequence number.
  std::size_t position_ = 0;  // Index into order_.
  std::vector<std::uint64_t> order_;
};

/// Reorders `order` as Hugging Face's LengthGroupedSampler does (`group_by_length` of its Trainer).
/// Each pool of 50 batches (a quarter of all if there are fewer than 200) is sorted from its
/// longest sequence to its shortest. The longest sequence of all is swapped with the first, so that
/// a batch too large for memory fails at once. `lengths` is indexed by record.
/// REQUIRES: batch_size > 0; every record of `order` has a length
/// Source: transformers/trainer_pt_utils.py, get_length_grouped_indices.
[[nodiscard]] std::vector<std::uint64_t> group_by_length(std::vector<std::uint64_t> order,
                                                         std::span<const std::uint32_t> lengths,
                                                         std::size_t batch_size);

}  // namespace feedrate
