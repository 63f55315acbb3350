// SPDX-License-Identifier: Apache-2.0
// Where a batch becomes a pinned one: DataLoader's pin_memory, inline or on a thread.
#pragma once
#include <optional>
#include <stop_token>
#include <thread>
#include <variant>

#include "core/queue.h"
#include "loaders/pinned_cache.h"
#include "loaders/worker_pool.h"

namespace feedrate {

/// Copies batches into pinned memory, one after the other, by one memcpy.
class Pinner {
 public:
  /// `clock` outlives it.
  Pinner(Device& device, const LinearCost& cost, Clock& clock);
  void pin(Batch& batch);

 private:
  PinnedCache cache_;
  LinearCost cost_;
  Clock& clock_;
};

/// PyTorch's pin thread: takes all that workers send as soon as it comes, pins the batches, and
/// hands everything on in the same order. One thread drives it, the consumer.
class PinThread {
 public:
  /// `workers`, `pinner` and `clock` outlive it. No other thread calls workers.receive().
  PinThread(WorkerPool& workers, Pinner& pinner, Clock& clock);

  /// As WorkerPool::receive(). Every call throws what ended the thread: a worker's death.
  [[nodiscard]] std::optional<WorkerMessage> receive(const std::stop_token& stop, Nanos timeout);

 private:
  using Item = std::variant<WorkerMessage, std::exception_ptr>;

  void run(const std::stop_token& stop);
  void pin(WorkerMessage& message);

  WorkerPool& workers_;
  Pinner& pinner_;
  Clock& clock_;
  BlockingQueue<Item> pinned_;
  std::exception_ptr failure_;  // The consumer's.
  std::jthread thread_;         // Last: joined before the queue dies.
};

}  // namespace feedrate
