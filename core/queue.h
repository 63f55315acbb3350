// SPDX-License-Identifier: Apache-2.0
// A blocking first-in-first-out queue between threads.
#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "core/units.h"

namespace feedrate {

/// Unbounded: the caller of push bounds the number in flight. Safe for concurrent use.
template <typename T>
class BlockingQueue {
 public:
  void push(T item) {
    {
      const std::lock_guard lock(mutex_);
      items_.push_back(std::move(item));
    }
    arrived_.notify_one();
  }

  void push_front(T item) {
    {
      const std::lock_guard lock(mutex_);
      items_.push_front(std::move(item));
    }
    arrived_.notify_one();
  }

  /// Blocks for the next item. Empty only if nothing is queued and `stop` was requested or
  /// `timeout` has passed (zero: no timeout).
  [[nodiscard]] std::optional<T> pop(const std::stop_token& stop, Nanos timeout = Nanos(0)) {
    std::unique_lock lock(mutex_);
    const auto is_here = [&] { return !items_.empty(); };
    if (timeout > Nanos(0)) {
      arrived_.wait_for(lock, stop, timeout, is_here);
    } else {
      arrived_.wait(lock, stop, is_here);
    }
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any arrived_;
  std::deque<T> items_;  // Guarded by mutex_.
};

}  // namespace feedrate
