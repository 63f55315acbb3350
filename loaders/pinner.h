// SPDX-License-Identifier: Apache-2.0
// DataLoader's pin_memory, in the consumer or on a pin thread.
#pragma once
#include <optional>
#include <stop_token>
#include <thread>
#include <variant>

#include "core/queue.h"
#include "loaders/pinned_cache.h"
#include "loaders/worker_pool.h"

namespace feedrate {

/// Copies batches into pinned memory, each by one memcpy. One thread.
class Pinner {
 public:
  /// `device` and `clock` must outlive it.
  Pinner(Device& device, const LinearCost& cost, Clock& clock);
  void pin(Batch& batch);

 private:
  PinnedCache cache_;
  LinearCost cost_;
  Clock& clock_;
};

/// PyTorch's pin thread: receives each message of the workers at once, pins batches, and forwards
/// messages in the same order. One thread, the consumer, calls it.
class PinThread {
 public:
  /// `workers`, `pinner` and `clock` must outlive it. No other thread may call workers.receive().
  PinThread(WorkerPool& workers, Pinner& pinner, Clock& clock);

  /// Works like WorkerPool::receive(). After an error ended the thread, such as WorkerDied, every
  /// call throws it.
  [[nodiscard]] std::optional<WorkerMessage> receive(const std::stop_token& stop, Nanos timeout);

 private:
  using Item = std::variant<WorkerMessage, std::exception_ptr>;

  void run(const std::stop_token& stop);
  void pin(WorkerMessage& message);

  WorkerPool& workers_;
  Pinner& pinner_;
  Clock& clock_;
  BlockingQueue<Item> pinned_;
  std::exception_ptr failure_;  // Only the consumer's thread uses it.
  std::jthread thread_;         // Last member: joined before the queue is destroyed.
};

}  // namespace feedrate
