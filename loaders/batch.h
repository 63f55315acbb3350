// SPDX-License-Identifier: Apache-2.0
// A collated batch: the samples' tensors one after another, and their labels.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/units.h"
#include "loaders/batch_memory.h"

namespace feedrate {

/// Where a batch's time went, summed over its samples; wall time of the worker.
struct StageNanos {
  Nanos read{};
  Nanos decode{};
  Nanos transform{};

  StageNanos& operator+=(const StageNanos& other) {
    read += other.read;
    decode += other.decode;
    transform += other.transform;
    return *this;
  }
};

/// Of batches of sequences, and of no others.
struct TokenCount {
  std::uint64_t held = 0;    ///< tokens of records
  std::uint64_t places = 0;  ///< with the padding behind them

  TokenCount& operator+=(const TokenCount& other) {
    held += other.held;
    places += other.places;
    return *this;
  }
};

/// When and where a batch was made, on the host's clock: what a timeline shows of it.
struct BatchHistory {
  std::int64_t worker = -1;  ///< -1: the consumer's thread, within next()
  Nanos fetch_begin{};
  Nanos fetch_end{};
  Nanos pin_begin{};  ///< equal to pin_end if it was not copied into pinned memory
  Nanos pin_end{};
  Nanos ready{};  ///< when the consumer could have had it; zero: made within next()
};

/// Must die before the device that its memory came from.
struct Batch {
  std::uint64_t sequence = 0;
  std::uint64_t epoch = 0;
  std::shared_ptr<BatchMemory> buffer;
  std::size_t bytes_used = 0;        ///< at most samples * sample bytes
  std::vector<std::int64_t> labels;  ///< one a sample
  StageNanos times;
  TokenCount tokens;
  BatchHistory history;
  Nanos worker_cpu{};  ///< what a worker process used; a thread's is its process's
  /// A message for each damaged record that was replaced by zeros.
  std::vector<std::string> damaged;

  [[nodiscard]] std::size_t samples() const noexcept { return labels.size(); }
  [[nodiscard]] MutableBytes bytes() const noexcept { return buffer->bytes().first(bytes_used); }
};

}  // namespace feedrate
