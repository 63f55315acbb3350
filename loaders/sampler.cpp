// SPDX-License-Identifier: Apache-2.0
#include "loaders/sampler.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {

namespace {

std::vector<std::uint64_t> ascending(std::uint64_t count) {
  std::vector<std::uint64_t> order(count);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  return order;
}

// Advances the generator exactly as torch.randperm does.
std::vector<std::uint64_t> permutation(std::uint64_t count, std::mt19937& random) {
  std::vector<std::uint64_t> order = ascending(count);
  for (std::uint64_t i = 0; i + 1 < count; ++i) {
    std::swap(order[i], order[i + random() % (count - i)]);
  }
  return order;
}

std::vector<std::uint64_t> share_of(std::vector<std::uint64_t> order, const Shard& shard) {
  if (shard.rank >= shard.replicas) {
    throw ConfigError(fmt::format("rank: {} of {} replicas; must be between 0 and replicas - 1",
                                  shard.rank, shard.replicas));
  }
  if (shard.replicas == 1) return order;
  std::vector<std::uint64_t> share(shard_size(order.size(), shard));
  for (std::uint64_t i = 0; i < share.size(); ++i) {
    share[i] = order[(shard.rank + i * shard.replicas) % order.size()];
  }
  return share;
}

void skip_permutation(std::uint64_t count, std::mt19937& random) {
  if (count > 1) random.discard(count - 1);
}

}  // namespace

std::vector<std::uint64_t> epoch_order(std::uint64_t records, bool shuffle, std::uint64_t seed,
                                       std::uint64_t epoch) {
  if (!shuffle) return ascending(records);
  // PyTorch seeds its generator with the low 32 bits.
  std::mt19937 random(static_cast<std::uint32_t>(seed + epoch));
  return permutation(records, random);
}

std::vector<std::uint64_t> windowed_order(std::uint64_t records, std::uint64_t window,
                                          std::uint64_t seed, std::uint64_t epoch) {
  std::mt19937 random(static_cast<std::uint32_t>(seed + epoch));
  std::vector<std::uint64_t> order;
  order.reserve(records);
  const std::uint64_t windows = records / window + (records % window != 0 ? 1 : 0);
  for (const std::uint64_t index : permutation(windows, random)) {
    const std::uint64_t begin = index * window;
    for (const std::uint64_t offset : permutation(std::min(window, records - begin), random)) {
      order.push_back(begin + offset);
    }
  }
  return order;
}

std::uint64_t shard_size(std::uint64_t records, const Shard& shard) noexcept {
  const bool tail = !shard.drop_last && records % shard.replicas != 0;
  return records / shard.replicas + (tail ? 1 : 0);
}

std::vector<std::uint64_t> distributed_order(std::uint64_t records, bool shuffle,
                                             std::uint64_t seed, std::uint64_t epoch,
                                             const Shard& shard) {
  return share_of(epoch_order(records, shuffle, seed, epoch), shard);
}

std::vector<std::uint64_t> SeededRandomOrder::next_epoch(bool new_iterator) {
  if (new_iterator) random_.discard(2);  // The iterator's base seed has 64 bits.
  std::vector<std::uint64_t> order = permutation(records_, random_);
  skip_permutation(records_, random_);
  return order;
}

void BatchSampler::start(std::uint64_t epoch, std::optional<std::size_t> batches) {
  epoch_ = epoch;
  sequence_ = 0;
  last_ = batches.value_or(batches_per_epoch());
  if (batches_per_epoch() == 0) last_ = 0;  // drop_last with fewer records than a batch.
  position_ = 0;
  order_.clear();
}

std::optional<BatchTask> BatchSampler::next() {
  if (sequence_ == last_) return std::nullopt;
  const std::size_t usable = options_.drop_last ? batches_per_epoch() * options_.batch_size
                                                : shard_size(options_.records, options_.shard);
  if (position_ == usable) {
    ++epoch_;
    position_ = 0;
    order_.clear();
  }
  if (order_.empty()) order_ = order_of_epoch();
  const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(position_);
  const std::size_t count = std::min(options_.batch_size, usable - position_);
  position_ += count;
  return BatchTask{sequence_++, epoch_, {begin, begin + static_cast<std::ptrdiff_t>(count)}};
}

std::vector<std::uint64_t> BatchSampler::order_of_epoch() const {
  const bool windowed = options_.shuffle && options_.shuffle_window > 0;
  auto order =
      windowed ? windowed_order(options_.records, options_.shuffle_window, options_.seed, epoch_)
               : epoch_order(options_.records, options_.shuffle, options_.seed, epoch_);
  if (!options_.lengths.empty()) {
    order = group_by_length(std::move(order), options_.lengths, options_.batch_size);
  }
  return share_of(std::move(order), options_.shard);
}

std::size_t BatchSampler::batches_per_epoch() const noexcept {
  const std::uint64_t records = shard_size(options_.records, options_.shard);
  const std::size_t full = records / options_.batch_size;
  const bool tail = !options_.drop_last && records % options_.batch_size != 0;
  return full + (tail ? 1 : 0);
}

}  // namespace feedrate
