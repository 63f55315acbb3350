// SPDX-License-Identifier: Apache-2.0
// Work on many items by many threads, whose results arrive one by one in the items' order.
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

/// Where results wait for their turn. An item is claimed only while it is less than `window` ahead
/// of the oldest one not taken yet, so a slow item bounds the memory of the fast ones. Safe for
/// concurrent use; one thread takes.
template <typename Result>
class ReorderWindow {
 public:
  struct Slot {
    std::optional<Result> result;
    std::exception_ptr error;
  };

  ReorderWindow(std::size_t count, std::size_t window) : count_(count), slots_(window) {}

  /// The next item to work on. Empty when none is left or `stop` was requested.
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

  /// Blocks for the result of the next item in order; rethrows its error. Throws Cancelled when
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
    std::optional<Slot>& place = slots_[taken_ % slots_.size()];
    changed_.wait(lock, stop, [&] { return place.has_value(); });
    if (stop.stop_requested()) throw Cancelled();
    ++taken_;
    return std::move(*std::exchange(place, std::nullopt));
  }

  const std::size_t count_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::optional<Slot>> slots_;  // Guarded by mutex_.
  std::size_t claimed_ = 0;                 // Guarded by mutex_.
  std::size_t taken_ = 0;                   // Guarded by mutex_.
};

/// How many results a worker may be ahead of the one that is taken.
inline constexpr std::size_t kAheadPerWorker = 4;

/// Computes work(0) … work(count - 1), where each thread makes its own `work` by `make_worker` (it
/// holds what must not be shared: a cursor, a decoder), and passes each result to `consume` on the
/// calling thread, in order. The first error in order is thrown and ends the work.
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
  std::vector<std::jthread> workers;  // The last local: they stop before what they use goes.
  for (unsigned i = 0; i < job.worker_count(); ++i) workers.emplace_back(run_worker);
  for (std::size_t item = 0; item < count; ++item) {
    consume(item, window.take(job.stop));
    job.advance();
  }
}

}  // namespace feedrate
