// SPDX-License-Identifier: Apache-2.0
// A map-style dataset, and the Fetcher with which one worker makes batches of it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "loaders/batch.h"
#include "loaders/sampler.h"

namespace feedrate {

/// Makes batches sample by sample, as one DataLoader worker does. Belongs to one thread.
class Fetcher {
 public:
  virtual ~Fetcher() = default;
  /// Fills batch.buffer, labels, bytes_used and times for the records of `task`.
  /// REQUIRES: batch.buffer holds task.indices.size() samples
  /// Throws FormatError naming the damaged record.
  virtual void fetch(const BatchTask& task, Batch& batch) = 0;
};

/// Any thread may call const methods. Must outlive its fetchers.
class Dataset {
 public:
  virtual ~Dataset() = default;
  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;
  /// An upper bound of a sample's size.
  [[nodiscard]] virtual std::size_t sample_bytes() const noexcept = 0;
  /// Sample lengths by record, for grouping batches by length; empty if all samples have one shape.
  /// The first call may read the whole dataset. Throws Cancelled if `stop` is requested first.
  [[nodiscard]] virtual std::vector<std::uint32_t> lengths(const std::stop_token& /*stop*/) const {
    return {};
  }
  [[nodiscard]] virtual std::unique_ptr<Fetcher> open_fetcher() const = 0;
};

}  // namespace feedrate
