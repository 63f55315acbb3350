// SPDX-License-Identifier: Apache-2.0
// Processes items on many threads, and delivers the results in the items' order.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "formats/datasets/job.h"

namespace feedrate {

/// Reorders results. Workers claim an item only if it is less than `window` ahead of the oldest one
/// not taken yet, which bounds the memory while a slow item is pending. Safe for concurrent use;
/// one thread calls take().
template <typename Result>
class ReorderWindow {
 public:
  struct Slot {
    std::optional<Result> result;
    std::exception_ptr error;
  };

  ReorderWindow(std::size_t count, std::size_t window) : count_(count), slots_(window) {}

  /// The next item to work on. Blocks while the window is full. Empty if none is left or `stop` was
  /// requested.
  [[nodiscard]] std::optional<std::size_t> claim(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop,
                  [&] { return claimed_ == count_ || claimed_ < taken_ + slots_.size(); });
    if (stop.stop_requested() || claimed_ == count_) return std::nullopt;
    return claimed_++;
  }

  void put(std::size_t item, Slot slot) {
    {
      const std::lock_guard lock(mutex_);
      slots_[item % slots_.size()] = std::move(slot);
    }
    changed_.notify_all();
  }

  /// Blocks for the result of the next item in order; rethrows its error. Throws Cancelled if
  /// `stop` was requested.
  [[nodiscard]] Result take(const std::stop_token& stop) {
    Slot slot = wait_for_slot(stop);
    changed_.notify_all();
    if (slot.error) std::rethrow_exception(slot.error);
    return std::move(*slot.result);
  }

 private:
  Slot wait_for_slot(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    std::optional<Slot>& next = slots_[taken_ % slots_.size()];
    changed_.wait(lock, stop, [&] { return next.has_value(); });
    if (stop.stop_requested()) throw Cancelled();
    ++taken_;
    return std::move(*std::exchange(next, std::nullopt));
  }

  const std::size_t count_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::optional<Slot>> slots_;  // Guarded by mutex_.
  std::size_t claimed_ = 0;                 // Guarded by mutex_.
  std::size_t taken_ = 0;                   // Guarded by mutex_.
};

/// Size of the window per worker.
inline constexpr std::size_t kAheadPerWorker = 4;

/// Computes work(0) … work(count - 1) and passes each result to `consume` on the calling thread, in
/// order. Each worker thread makes its own `work` by `make_worker`, for objects that threads cannot
/// share, such as cursors and decoders. The first error in order ends the work and is thrown.
template <typename Result>
void in_order(std::string_view action, std::size_t count, const Job& job,
              const std::function<std::function<Result(std::size_t)>()>& make_worker,
              const std::function<void(std::size_t, Result)>& consume) {
  job.start(action, count);
  ReorderWindow<Result> window(count, job.worker_count() * kAheadPerWorker);
  const auto run_worker = [&](const std::stop_token& stop) {
    std::function<Result(std::size_t)> work;
    while (const std::optional<std::size_t> item = window.claim(stop)) {
      typename ReorderWindow<Result>::Slot slot;
      try {
        if (!work) work = make_worker();
        slot.result.emplace(work(*item));
      } catch (...) {
        slot.error = std::current_exception();
      }
      window.put(*item, std::move(slot));
    }
  };
  std::vector<std::jthread> workers;  // Last, so that they join before the locals are destroyed.
  for (unsigned i = 0; i < job.worker_count(); ++i) workers.emplace_back(run_worker);
  for (std::size_t item = 0; item < count; ++item) {
    consume(item, window.take(job.stop));
    job.advance();
  }
}

}  // namespace feedrate
