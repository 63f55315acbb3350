// SPDX-License-Identifier: Apache-2.0
// Which records form which batch. The order is a function of (seed, epoch) only, never of workers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "loaders/shard.h"

namespace feedrate {

/// The records of one epoch in their order: 0..records-1, or for `shuffle` a permutation of them,
/// the one that torch.randperm gives with a generator seeded by seed + epoch (as DistributedSampler
/// seeds it): MT19937, forward Fisher-Yates, i swapped with i + random() mod (n - i). That is all
/// of PyTorch 1.13; PyTorch 2 draws otherwise from 214,748,364 records (2^32 / 20) on.
[[nodiscard]] std::vector<std::uint64_t> epoch_order(std::uint64_t records, bool shuffle,
                                                     std::uint64_t seed, std::uint64_t epoch);

/// A random order that stays near: windows of `window` records that lie one after the other, the
/// last perhaps of fewer, in a random order, and the records of each in a random order. So what is
/// read at about the same time lies close together, as with FFCV's OrderOption.QUASI_RANDOM. Seeded
/// as epoch_order; it is torch.randperm of the windows, then of each in its turn. REQUIRES: window
/// > 0
[[nodiscard]] std::vector<std::uint64_t> windowed_order(std::uint64_t records, std::uint64_t window,
                                                        std::uint64_t seed, std::uint64_t epoch);

/// How many records each rank gets: records / replicas, rounded up, or down with drop_last.
/// REQUIRES: replicas > 0
[[nodiscard]] std::uint64_t shard_size(std::uint64_t records, const Shard& shard) noexcept;

/// The order of one rank of DistributedSampler (whose own default is shuffle=True) after
/// set_epoch(epoch): epoch_order, extended by its own head as often as needed or cut at its end
/// until all ranks have the same number; of that, places rank, rank + replicas, …
/// Throws ConfigError where the rank is not below the replicas.
[[nodiscard]] std::vector<std::uint64_t> distributed_order(std::uint64_t records, bool shuffle,
                                                           std::uint64_t seed, std::uint64_t epoch,
                                                           const Shard& shard);

/// The orders that DataLoader(dataset, shuffle=True, generator=g) yields epoch after epoch, where g
/// was seeded once and every epoch is read to its end. All draws come from the one generator: an
/// iterator's base seed for its workers, then the permutation, and at its end the next permutation,
/// of which RandomSampler takes nothing. One thread.
class SeededRandomOrder {
 public:
  SeededRandomOrder(std::uint64_t records, std::uint64_t seed)
      : records_(records), random_(static_cast<std::uint32_t>(seed)) {}

  /// `new_iterator`: false from the second epoch on with persistent workers, whose iterator is kept
  /// and draws no other base seed; otherwise true, with num_workers=0, too.
  [[nodiscard]] std::vector<std::uint64_t> next_epoch(bool new_iterator);

 private:
  std::uint64_t records_;
  std::mt19937 random_;
};

/// One batch to make.
struct BatchTask {
  std::uint64_t sequence = 0;  ///< place in what the loader returns, from 0 at each start
  std::uint64_t epoch = 0;     ///< decides, with the record, what random transforms draw
  std::vector<std::uint64_t> indices;
};

struct BatchSamplerOptions {
  std::uint64_t records = 0;
  std::size_t batch_size = 1;
  bool shuffle = false;
  std::uint64_t shuffle_window = 0;  ///< windowed_order; 0: over all records
  bool drop_last = false;
  std::uint64_t seed = 0;
  Shard shard = {};
  /// By record: batches are of like length (loaders/group_by_length.h). Empty: of any.
  std::vector<std::uint32_t> lengths = {};
};

/// PyTorch's BatchSampler over a sequential or shuffled order, grouped by length on request, or
/// over one rank's share of it, as Hugging Face's DistributedLengthGroupedSampler cuts it. One
/// thread.
class BatchSampler {
 public:
  explicit BatchSampler(BatchSamplerOptions options) : options_(std::move(options)) {}

  /// Begins epoch `epoch`. With `batches`, yields exactly that number: fewer than the epoch has, or
  /// more by going on with the following epochs, so that a rate can be measured without the pause
  /// between epochs.
  void start(std::uint64_t epoch, std::optional<std::size_t> batches = std::nullopt);

  /// The next batch; empty at the end. Computes the permutation at the first call of an epoch, as
  /// PyTorch does.
  [[nodiscard]] std::optional<BatchTask> next();

  /// Batches of one epoch: floor or ceil of shard_size / batch_size.
  [[nodiscard]] std::size_t batches_per_epoch() const noexcept;

 private:
  [[nodiscard]] std::vector<std::uint64_t> order_of_epoch() const;

  BatchSamplerOptions options_;
  std::uint64_t epoch_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t last_ = 0;    // One past the last sequence number of this start.
  std::size_t position_ = 0;  // In order_.
  std::vector<std::uint64_t> order_;
};

}  // namespace feedrate
