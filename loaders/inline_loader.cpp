// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "core/error.h"
#include "loaders/batch_maker.h"
#include "loaders/buffer_pool.h"
#include "loaders/loader.h"
#include "loaders/pinner.h"

namespace feedrate {
namespace {

class InlineLoader final : public Loader {
 public:
  InlineLoader(const Dataset& dataset, const ResolvedLoaderOptions& options, Device& device)
      : dataset_(dataset),
        options_(options),
        clock_(device.clock()),
        buffers_(options.batch_size * dataset.sample_bytes()),
        pinner_(device, options.costs.pin, device.clock()),
        sampler_(make_batch_sampler(dataset, options)) {}

  void start_epoch(std::uint64_t epoch, std::optional<std::size_t> batches,
                   const std::stop_token& /*stop*/) override {
    check_iterable(options_);
    if (!fetcher_) fetcher_ = dataset_.open_fetcher();
    sampler_.start(epoch, batches);
  }

  std::optional<Batch> next(const std::stop_token& stop) override {
    if (stop.stop_requested()) throw Cancelled();
    const std::optional<BatchTask> task = sampler_.next();
    if (!task) return std::nullopt;
    auto memory = buffers_.acquire(task->indices.size() * dataset_.sample_bytes());
    Batch batch = make_batch(*task, *fetcher_, std::move(memory), options_.costs.inline_sample,
                             options_.costs.inline_batch, clock_);
    if (options_.memory == HostMemory::kPinned) pinner_.pin(batch);
    return batch;
  }

  std::size_t batches_per_epoch() const noexcept override { return sampler_.batches_per_epoch(); }
  std::string_view profile_name() const noexcept override {
    return "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
  }

 private:
  const Dataset& dataset_;
  const ResolvedLoaderOptions options_;
  Clock& clock_;
  BufferPool buffers_;
  Pinner pinner_;
  BatchSampler sampler_;
  std::unique_ptr<Fetcher> fetcher_;
};

}  // namespace

std::unique_ptr<Loader> make_inline_loader(const Dataset& dataset,
                                           const ResolvedLoaderOptions& options, Device& device) {
  return std::make_unique<InlineLoader>(dataset, options, device);
}

}  // namespace feedrate
