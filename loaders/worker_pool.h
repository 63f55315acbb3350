// SPDX-License-Identifier: Apache-2.0
// The workers of a DataLoader, threads or processes, below PyTorch's protocol: they are started and
// stopped, are given tasks, and send back batches.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <variant>

#include "core/error.h"
#include "device/device.h"
#include "loaders/dataset.h"
#include "loaders/options.h"
#include "loaders/sequencer.h"

namespace feedrate {

/// A worker ended by itself, or was killed. What() says which, and how. Nothing more can come from
/// its pool; stop() still works.
class WorkerDied : public Error {
 public:
  using Error::Error;
};

/// The answer to WorkerPool::resume().
struct Resumed {
  std::size_t worker = 0;
};

using WorkerMessage = std::variant<BatchResult, Resumed>;

/// One thread drives it, the consumer; receive() may belong to another thread. A worker does its
/// tasks one after the other, samples one after the other, and sends each result at once.
class WorkerPool {
 public:
  virtual ~WorkerPool() = default;

  /// Starts all workers, one after the other, on the calling thread. REQUIRES: !is_running()
  virtual void start() = 0;
  [[nodiscard]] virtual bool is_running() const noexcept = 0;
  /// Never blocks. Tasks of one worker are done in the order of sending.
  virtual void send(std::size_t worker, BatchTask task) = 0;
  /// Asks a worker for a Resumed, which comes after the results of all tasks it was sent before.
  virtual void resume(std::size_t worker) = 0;
  /// Ends all workers and waits for them: each finishes the batch that it is making; tasks not
  /// begun and results not received are dropped. No thread is in receive(). The destructor does it,
  /// too.
  virtual void stop() noexcept = 0;

  /// What came first from any worker. Empty after `timeout` (zero: waits for ever). A batch's error
  /// travels in its result; throws WorkerDied at once when a worker is gone, whatever else has
  /// arrived, and Cancelled once `stop` is requested.
  [[nodiscard]] virtual std::optional<WorkerMessage> receive(const std::stop_token& stop,
                                                             Nanos timeout) = 0;
};

/// `dataset` and `clock` outlive the pool. REQUIRES: options.num_workers > 0, for both
[[nodiscard]] std::unique_ptr<WorkerPool> make_thread_workers(const Dataset& dataset,
                                                              const ResolvedLoaderOptions& options,
                                                              Clock& clock);
/// Forked processes. `clock` is the steady clock.
[[nodiscard]] std::unique_ptr<WorkerPool> make_process_workers(const Dataset& dataset,
                                                               const ResolvedLoaderOptions& options,
                                                               Clock& clock);

}  // namespace feedrate
