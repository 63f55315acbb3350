// Which records form which batch. The order is a function of (seed, epoch) only, never of workers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace feedrate {

/// The records of one epoch in their order: 0..records-1, or for `shuffle` a permutation of them,
/// the one that torch.randperm gives with a generator seeded by seed + epoch (as DistributedSampler
/// seeds it): MT19937, forward Fisher-Yates, i swapped with i + random() mod (n - i).
[[nodiscard]] std::vector<std::uint64_t> epoch_order(std::uint64_t records, bool shuffle,
                                                     std::uint64_t seed, std::uint64_t epoch);

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
  bool drop_last = false;
  std::uint64_t seed = 0;
};

/// PyTorch's BatchSampler over a sequential or shuffled order. One thread.
class BatchSampler {
 public:
  explicit BatchSampler(BatchSamplerOptions options) : options_(options) {}

  /// Begins epoch `epoch`. With `batches`, yields exactly so many: fewer than the epoch has, or
  /// more by going on with the following epochs, so that a rate can be measured without the pause
  /// between epochs.
  void start(std::uint64_t epoch, std::optional<std::size_t> batches = std::nullopt);

  /// The next batch; empty at the end. Computes the permutation at the first call of an epoch, as
  /// PyTorch does.
  [[nodiscard]] std::optional<BatchTask> next();

  /// Batches of one epoch: floor or ceil of records / batch_size.
  [[nodiscard]] std::size_t batches_per_epoch() const noexcept;

 private:
  BatchSamplerOptions options_;
  std::uint64_t epoch_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t last_ = 0;    // One past the last sequence number of this start.
  std::size_t position_ = 0;  // In order_.
  std::vector<std::uint64_t> order_;
};

}  // namespace feedrate
