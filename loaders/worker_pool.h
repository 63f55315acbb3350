// SPDX-License-Identifier: Apache-2.0
// DataLoader workers. They receive tasks and send back batches; PyTorch's
// protocol is in prefetching_loader.cpp.
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

/// A worker exited or was killed; what() says which worker and how. Its pool sends no more
/// messages; stop() still works.
class WorkerDied : public Error {
 public:
  using Error::Error;
};

/// A worker's answer to WorkerPool::resume().
struct Resumed {
  std::size_t worker = 0;
};

using WorkerMessage = std::variant<BatchResult, Resumed>;

/// One thread, the consumer, calls it; another thread may call receive(). A worker does its tasks
/// and their samples sequentially, and sends each result at once.
class WorkerPool {
 public:
  virtual ~WorkerPool() = default;

  /// Starts all workers sequentially on the calling thread. REQUIRES: !is_running()
  virtual void start() = 0;
  [[nodiscard]] virtual bool is_running() const noexcept = 0;
  /// Never blocks. A worker does its tasks in the order of sending.
  virtual void send(std::size_t worker, BatchTask task) = 0;
  /// Asks a worker for a Resumed, which arrives after the results of all its earlier tasks.
  virtual void resume(std::size_t worker) = 0;
  /// Stops all workers and waits for them. Each finishes its current batch; tasks not begun and
  /// results not received are dropped. No thread may be in receive(). The destructor also calls it.
  virtual void stop() noexcept = 0;

  /// The next message of any worker, in order of arrival; empty after `timeout` (zero: no timeout).
  /// A result carries its batch's error. Throws WorkerDied as soon as a worker is gone, even if
  /// messages are waiting, and Cancelled once `stop` is requested.
  [[nodiscard]] virtual std::optional<WorkerMessage> receive(const std::stop_token& stop,
                                                             Nanos timeout) = 0;
};

/// Forks worker processes. `dataset` and `clock`, the steady clock, must outlive the pool.
/// REQUIRES: options.num_workers > 0
[[nodiscard]] std::unique_ptr<WorkerPool> make_process_workers(const Dataset& dataset,
                                                               const ResolvedLoaderOptions& options,
                                                               Clock& clock);

}  // namespace feedrate
