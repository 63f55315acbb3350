// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"
#include "loaders/batch_maker.h"
#include "loaders/loader.h"

namespace feedrate {
namespace {

class CachedLoader final : public Loader {
 public:
  CachedLoader(const Dataset& dataset, const ResolvedLoaderOptions& options, Device& device)
      : batches_per_epoch_(make_batch_sampler(dataset, options).batches_per_epoch()),
        batch_(make_batch(full_task(dataset, options), *dataset.open_fetcher(),
                          memory(dataset, options, device), Nanos(0), {}, device.clock())) {
    // next() reads and decodes nothing, so its batches have no stage times and no new tokens.
    batch_.times = {};
    batch_.tokens = {};
    batch_.history = {};
  }

  void start_epoch(std::uint64_t epoch, std::optional<std::size_t> batches,
                   const std::stop_token& /*stop*/) override {
    batch_.epoch = epoch;
    returned_ = 0;
    last_ = batches.value_or(batches_per_epoch_);
  }

  std::optional<Batch> next(const std::stop_token& stop) override {
    if (stop.stop_requested()) throw Cancelled();
    if (returned_ == last_) return std::nullopt;
    batch_.sequence = returned_++;
    Batch batch = batch_;
    batch_.damaged.clear();  // Only the first batch reports them.
    return batch;
  }

  std::size_t batches_per_epoch() const noexcept override { return batches_per_epoch_; }
  std::string_view profile_name() const noexcept override { return "CachedLoader.next"; }

 private:
  // Repeats records if the dataset has fewer than batch_size.
  static BatchTask full_task(const Dataset& dataset, const ResolvedLoaderOptions& options) {
    BatchTask task;
    for (std::size_t i = 0; i < options.batch_size; ++i) task.indices.push_back(i % dataset.size());
    return task;
  }

  static std::shared_ptr<BatchMemory> memory(const Dataset& dataset,
                                             const ResolvedLoaderOptions& options, Device& device) {
    const std::size_t bytes = options.batch_size * dataset.sample_bytes();
    return std::make_shared<OwnedMemory>(device.allocate_host(bytes, options.memory));
  }

  std::size_t batches_per_epoch_;
  Batch batch_;
  std::size_t returned_ = 0;
  std::size_t last_ = 0;
};

}  // namespace

std::unique_ptr<Loader> make_cached_loader(const Dataset& dataset,
                                           const ResolvedLoaderOptions& options, Device& device) {
  return std::make_unique<CachedLoader>(dataset, options, device);
}

}  // namespace feedrate
