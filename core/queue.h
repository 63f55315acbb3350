// A blocking first-in-first-out queue between threads.
#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace feedrate {

/// Unbounded: whoever pushes bounds the number in flight. Safe for concurrent use.
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

  /// Blocks for the next item. Empty only when `stop` was requested and nothing is queued.
  [[nodiscard]] std::optional<T> pop(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, stop, [&] { return !items_.empty(); });
    return take_front();
  }

  [[nodiscard]] std::optional<T> try_pop() {
    const std::lock_guard lock(mutex_);
    return take_front();
  }

 private:
  // REQUIRES: mutex_ is held.
  std::optional<T> take_front() {
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    return item;
  }

  std::mutex mutex_;
  std::condition_variable_any arrived_;
  std::deque<T> items_;  // Guarded by mutex_.
};

}  // namespace feedrate
