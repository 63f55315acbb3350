// SPDX-License-Identifier: Apache-2.0
// Counts the costs of fetching on any thread and in any process.
#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "loaders/dataset.h"
#include "tests/loaders/decode/allocations.h"
#include "tests/support/shared_value.h"

namespace feedrate::testing {

/// Sums over all fetchers.
struct FetchCounts {
  std::atomic<bool> on = false;  ///< false: nothing is counted
  std::atomic<std::size_t> samples = 0;
  std::atomic<std::size_t> allocations = 0;
  std::atomic<std::size_t> heap_calls = 0;
  std::atomic<std::size_t> locks = 0;
  std::atomic<std::size_t> between = 0;  ///< allocations of the fetchers' threads between fetches
};

/// Wraps another dataset, which must outlive it.
class CountingDataset final : public Dataset {
 public:
  explicit CountingDataset(const Dataset& counted) : counted_(counted) {}

  std::uint64_t size() const noexcept override { return counted_.size(); }
  std::size_t sample_bytes() const noexcept override { return counted_.sample_bytes(); }
  std::unique_ptr<Fetcher> open_fetcher() const override {
    return std::make_unique<CountingFetcher>(counted_.open_fetcher(), *counts_);
  }
  [[nodiscard]] FetchCounts& counts() const noexcept { return *counts_; }

 private:
  class CountingFetcher final : public Fetcher {
   public:
    CountingFetcher(std::unique_ptr<Fetcher> fetcher, FetchCounts& counts)
        : fetcher_(std::move(fetcher)), counts_(counts) {}

    void fetch(const BatchTask& task, Batch& batch) override {
      const std::size_t allocations_before = allocations();
      const std::size_t heap_calls_before = heap_calls();
      const std::size_t locks_before = locks();
      fetcher_->fetch(task, batch);
      if (counts_.on) {
        counts_.samples += task.indices.size();
        counts_.allocations += allocations() - allocations_before;
        counts_.heap_calls += heap_calls() - heap_calls_before;
        counts_.locks += locks() - locks_before;
        counts_.between += allocations_before - after_last_;
      }
      after_last_ = allocations();
    }

   private:
    std::unique_ptr<Fetcher> fetcher_;
    FetchCounts& counts_;
    std::size_t after_last_ = 0;
  };

  const Dataset& counted_;
  SharedValue<FetchCounts> counts_;
};

}  // namespace feedrate::testing
