// SPDX-License-Identifier: Apache-2.0
// A dataset with known samples and scripted cost, for tests of loaders and of the measuring
// protocol.
#pragma once
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>

#include "loaders/dataset.h"
#include "tests/support/shared_value.h"

namespace feedrate::testing {

/// Each sample is 16 bytes, its epoch and its index. Its label is its index.
class ScriptedDataset final : public Dataset {
 public:
  /// A fetcher calls it before it fills a batch, with its number in the order of opening: the
  /// function may sleep, wait for a latch or throw.
  using OnFetch = std::function<void(std::size_t fetcher, const BatchTask& task)>;

  explicit ScriptedDataset(std::uint64_t size, OnFetch on_fetch = nullptr)
      : size_(size), on_fetch_(std::move(on_fetch)) {}

  std::uint64_t size() const noexcept override { return size_; }
  std::size_t sample_bytes() const noexcept override { return 16; }
  std::unique_ptr<Fetcher> open_fetcher() const override {
    return std::make_unique<ScriptedFetcher>(*this, (*opened_)++);
  }

  [[nodiscard]] std::size_t opened() const noexcept { return *opened_; }

 private:
  class ScriptedFetcher final : public Fetcher {
   public:
    ScriptedFetcher(const ScriptedDataset& dataset, std::size_t id) : dataset_(dataset), id_(id) {}

    void fetch(const BatchTask& task, Batch& batch) override {
      if (dataset_.on_fetch_) dataset_.on_fetch_(id_, task);
      std::byte* out = batch.buffer->bytes().data();
      for (const std::uint64_t index : task.indices) {
        std::memcpy(out, &task.epoch, 8);
        std::memcpy(out + 8, &index, 8);
        out += 16;
        batch.labels.push_back(static_cast<std::int64_t>(index));
      }
      batch.bytes_used = 16 * task.indices.size();
    }

   private:
    const ScriptedDataset& dataset_;
    std::size_t id_;
  };

  std::uint64_t size_;
  OnFetch on_fetch_;
  SharedValue<std::atomic<std::size_t>> opened_{0U};  // Shared with worker processes.
};

}  // namespace feedrate::testing
