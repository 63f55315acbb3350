// SPDX-License-Identifier: Apache-2.0
// Loaders: they yield batches, as iterating over a DataLoader does.
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

/// One thread, the consumer, calls it. The destructor stops and joins the workers.
class Loader {
 public:
  virtual ~Loader() = default;

  /// Starts an epoch, as iter(loader) does: starts the workers or wakes the persistent ones, and
  /// sends the first tasks. Outstanding batches of an epoch left early are made and dropped. With
  /// `batches`, the epoch has exactly that number (see BatchSampler::start). Blocks until
  /// persistent workers have answered; throws their errors as next() does.
  virtual void start_epoch(std::uint64_t epoch, std::optional<std::size_t> batches = std::nullopt,
                           const std::stop_token& stop = {}) = 0;

  /// Blocks until the next batch; nullopt means the end of the epoch, after which workers that are
  /// not persistent have exited. Throws a worker's error in place of its batch; the loader stays
  /// usable. Throws WorkerDied, TimedOut, and Cancelled once `stop` is requested.
  [[nodiscard]] virtual std::optional<Batch> next(const std::stop_token& stop) = 0;

  [[nodiscard]] virtual std::size_t batches_per_epoch() const noexcept = 0;

  /// The name of next() in PyTorch's profiler, by which tools find the loader's time.
  [[nodiscard]] virtual std::string_view profile_name() const noexcept = 0;

  /// Begins the window of data_readiness(); start_epoch() also begins one.
  virtual void start_window() {}

  /// 1 - (time in which the next batch was not ready) / window: 1 if the consumer never waited, 0
  /// if it always waited (SPDL's definition). Empty for loaders without a queue.
  [[nodiscard]] virtual std::optional<double> data_readiness() const { return std::nullopt; }
};

/// num_workers = 0: loads in the consumer's thread and prefetches nothing. The reference loader:
/// every other loader yields the same bytes for the same seed.
[[nodiscard]] std::unique_ptr<Loader> make_inline_loader(const Dataset& dataset,
                                                         const ResolvedLoaderOptions& options,
                                                         Device& device);

/// Implements PyTorch's protocol on `workers`, which must not be running: task i goes to worker i
/// mod num_workers, each returned batch starts one new task, at most prefetch_factor * num_workers
/// batches are outstanding, and pin_memory has a pin thread. REQUIRES: options.num_workers > 0
[[nodiscard]] std::unique_ptr<Loader> make_prefetching_loader(const Dataset& dataset,
                                                              const ResolvedLoaderOptions& options,
                                                              Device& device,
                                                              std::unique_ptr<WorkerPool> workers);

/// The mock loader: makes one full batch and returns it again and again. It shows the rate of the
/// trainer alone, which no tuning of the loader can exceed.
[[nodiscard]] std::unique_ptr<Loader> make_cached_loader(const Dataset& dataset,
                                                         const ResolvedLoaderOptions& options,
                                                         Device& device);

/// Makes the loader for `options`: inline, or prefetching by threads or processes. Worker processes
/// require that device.clock() is the steady clock. `dataset` and `device` must outlive it.
[[nodiscard]] std::unique_ptr<Loader> make_loader(const Dataset& dataset,
                                                  const ResolvedLoaderOptions& options,
                                                  Device& device);

}  // namespace feedrate
