// SPDX-License-Identifier: Apache-2.0
// What a loader loads: a map-style dataset, and one worker's way of fetching batches from it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "loaders/batch.h"
#include "loaders/sampler.h"

namespace feedrate {

/// Makes whole batches, sample after sample, as one DataLoader worker does. One per worker, one
/// thread.
class Fetcher {
 public:
  virtual ~Fetcher() = default;
  /// Fills batch.buffer, labels, bytes_used and times for the records of `task`.
  /// REQUIRES: batch.buffer holds task.indices.size() samples
  /// Throws FormatError naming the damaged record.
  virtual void fetch(const BatchTask& task, Batch& batch) = 0;
};

/// Const methods may be called from any thread. Outlives its fetchers.
class Dataset {
 public:
  virtual ~Dataset() = default;
  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;
  /// Of the largest sample there may be.
  [[nodiscard]] virtual std::size_t sample_bytes() const noexcept = 0;
  /// By record, where samples differ in length, so that batches can be grouped by it; else empty.
  /// May read all of the dataset, the first time. Throws Cancelled if `stop` comes before.
  [[nodiscard]] virtual std::vector<std::uint32_t> lengths(const std::stop_token& /*stop*/) const {
    return {};
  }
  [[nodiscard]] virtual std::unique_ptr<Fetcher> open_fetcher() const = 0;
};

}  // namespace feedrate
