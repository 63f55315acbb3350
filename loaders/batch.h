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

/// Wall time that a worker spent on a batch, summed over its samples.
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

/// Token counts of a batch of sequences; zero for other batches.
struct TokenCount {
  std::uint64_t real = 0;    ///< tokens read from records
  std::uint64_t padded = 0;  ///< tokens of the batch, padding included

  TokenCount& operator+=(const TokenCount& other) {
    real += other.real;
    padded += other.padded;
    return *this;
  }
};

/// The host clock's times of a batch's stages, for the timeline.
struct BatchHistory {
  std::int64_t worker = -1;  ///< -1: the consumer's thread, in next()
  Nanos fetch_begin{};
  Nanos fetch_end{};
  Nanos pin_begin{};  ///< equal to pin_end if the batch was not pinned
  Nanos pin_end{};
  Nanos ready{};  ///< when next() could have returned it; zero if next() made it
};

/// Must be destroyed before the device that allocated its memory.
struct Batch {
  std::uint64_t sequence = 0;
  std::uint64_t epoch = 0;
  std::shared_ptr<BatchMemory> buffer;
  std::size_t bytes_used = 0;        ///< at most samples * sample bytes
  std::vector<std::int64_t> labels;  ///< one per sample
  StageNanos times;
  TokenCount tokens;
  BatchHistory history;
  Nanos worker_cpu{};  ///< CPU time of the worker process; zero for threads
  /// One message per damaged record; its sample is zeros.
  std::vector<std::string> damaged;

  [[nodiscard]] std::size_t samples() const noexcept { return labels.size(); }
  [[nodiscard]] MutableBytes bytes() const noexcept { return buffer->bytes().first(bytes_used); }
};

}  // namespace feedrate
