#include "loaders/sampler.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

namespace feedrate {

std::vector<std::uint64_t> epoch_order(std::uint64_t records, bool shuffle, std::uint64_t seed,
                                       std::uint64_t epoch) {
  std::vector<std::uint64_t> order(records);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  if (!shuffle) return order;
  // PyTorch seeds its generator with the low 32 bits.
  std::mt19937 random(static_cast<std::uint32_t>(seed + epoch));
  for (std::uint64_t i = 0; i + 1 < records; ++i) {
    std::swap(order[i], order[i + random() % (records - i)]);
  }
  return order;
}

void BatchSampler::start(std::uint64_t epoch, std::optional<std::size_t> batches) {
  epoch_ = epoch;
  sequence_ = 0;
  last_ = batches.value_or(batches_per_epoch());
  if (batches_per_epoch() == 0) last_ = 0;  // drop_last over fewer records than a batch.
  position_ = 0;
  order_.clear();
}

std::optional<BatchTask> BatchSampler::next() {
  if (sequence_ == last_) return std::nullopt;
  const std::size_t usable = options_.drop_last ? batches_per_epoch() * options_.batch_size
                                                : static_cast<std::size_t>(options_.records);
  if (position_ == usable) {
    ++epoch_;
    position_ = 0;
    order_.clear();
  }
  if (order_.empty()) {
    order_ = epoch_order(options_.records, options_.shuffle, options_.seed, epoch_);
  }
  const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(position_);
  const std::size_t count = std::min(options_.batch_size, usable - position_);
  position_ += count;
  return BatchTask{sequence_++, epoch_, {begin, begin + static_cast<std::ptrdiff_t>(count)}};
}

std::size_t BatchSampler::batches_per_epoch() const noexcept {
  const std::size_t full = options_.records / options_.batch_size;
  const bool tail = !options_.drop_last && options_.records % options_.batch_size != 0;
  return full + (tail ? 1 : 0);
}

}  // namespace feedrate
