// SPDX-License-Identifier: Apache-2.0
// Yields batches, as iterating over a DataLoader does.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

#include "core/error.h"
#include "device/device.h"
#include "loaders/batch.h"
#include "loaders/dataset.h"
#include "loaders/options.h"
#include "loaders/worker_pool.h"

namespace feedrate {

/// No batch came within `timeout`.
class TimedOut : public Error {
 public:
  explicit TimedOut(Nanos timeout);
};

/// Driven by one thread, the consumer. The destructor stops and joins the workers.
class Loader {
 public:
  virtual ~Loader() = default;

  /// What iter(loader) does: starts the workers, or wakes the persistent ones, and hands out the
  /// first tasks. Batches of an epoch left early are made and thrown away. With `batches`, the
  /// epoch has exactly that number (see BatchSampler::start). Waits for persistent workers: throws
  /// what next() throws of them.
  virtual void start_epoch(std::uint64_t epoch, std::optional<std::size_t> batches = std::nullopt,
                           const std::stop_token& stop = {}) = 0;

  /// Blocks for the next batch; nullopt means the epoch is over (and workers that are not
  /// persistent are gone). A worker's error is thrown here, at the place in the sequence where its
  /// batch would have been; the loader stays usable. Throws WorkerDied, TimedOut, and Cancelled
  /// once `stop` is requested.
  [[nodiscard]] virtual std::optional<Batch> next(const std::stop_token& stop) = 0;

  [[nodiscard]] virtual std::size_t batches_per_epoch() const noexcept = 0;

  /// What PyTorch's profiler calls the span of next(): tools find the loader's time by it.
  [[nodiscard]] virtual std::string_view profile_name() const noexcept = 0;

  /// Begins the window that data_readiness() is about; start_epoch() begins one, too.
  virtual void start_window() {}

  /// 1 - (time in which the batch that is due was not ready) / window: 1 when the consumer never
  /// had to wait, 0 when it always did (SPDL's definition). Empty where there is no queue.
  [[nodiscard]] virtual std::optional<double> data_readiness() const { return std::nullopt; }
};

/// num_workers = 0: the consumer's thread does the work, nothing is prefetched. The reference:
/// every other loader yields the same bytes for the same seed.
[[nodiscard]] std::unique_ptr<Loader> make_inline_loader(const Dataset& dataset,
                                                         const ResolvedLoaderOptions& options,
                                                         Device& device);

/// PyTorch's protocol above `workers`, which are not started yet: task i on worker i mod
/// num_workers, one new task for each batch returned, at most prefetch_factor * num_workers
/// outstanding, a pin thread for pin_memory. REQUIRES: options.num_workers > 0
[[nodiscard]] std::unique_ptr<Loader> make_prefetching_loader(const Dataset& dataset,
                                                              const ResolvedLoaderOptions& options,
                                                              Device& device,
                                                              std::unique_ptr<WorkerPool> workers);

/// The mock loader: makes one full batch and returns it again and again. What the trainer alone can
/// do, the most that any tuning of the loader can reach.
[[nodiscard]] std::unique_ptr<Loader> make_cached_loader(const Dataset& dataset,
                                                         const ResolvedLoaderOptions& options,
                                                         Device& device);

/// The loader that `options` ask for: inline, or prefetching by threads or processes; for processes
/// device.clock() is the steady clock. `dataset` and `device` outlive it.
[[nodiscard]] std::unique_ptr<Loader> make_loader(const Dataset& dataset,
                                                  const ResolvedLoaderOptions& options,
                                                  Device& device);

}  // namespace feedrate
