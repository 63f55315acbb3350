// SPDX-License-Identifier: Apache-2.0
// Copies of batches to the GPU: their memory, their rate, and the waits for them. Pure functions;
// any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/profile/timeline.h"

namespace feedrate {

/// All copies from one kind of host memory to GPUs during the steps.
struct CopyFinding {
  MemoryKind source = MemoryKind::kUnknown;
  std::size_t copies = 0;
  std::uint64_t bytes = 0;
  std::uint64_t largest = 0;  ///< bytes of the largest copy
  Nanos time{};               ///< on the GPU, summed over the copies
  Nanos overlapped{};         ///< part of `time` with a kernel on the same GPU
  /// Copies that the host waited for before its next launch: copies without non_blocking.
  std::size_t blocking = 0;
  Nanos waited{};  ///< by the host, for blocking copies
  /// Copies without recorded bytes. If there are any, `bytes` and `largest` are meaningless.
  std::size_t without_bytes = 0;

  [[nodiscard]] bool has_bytes() const noexcept { return without_bytes == 0; }
  /// NaN if `time` is 0.
  [[nodiscard]] double bytes_per_second() const {
    return static_cast<double>(bytes) / to_seconds(time);
  }
  [[nodiscard]] double overlapped_share() const {
    return to_seconds(overlapped) / to_seconds(time);
  }
};

/// One finding per kind of memory that occurs. `steps` are those of adjusted_steps().
[[nodiscard]] std::vector<CopyFinding> copy_findings(const Timeline& timeline,
                                                     const std::vector<StepSpan>& steps);

[[nodiscard]] const char* memory_kind_name(MemoryKind kind);

}  // namespace feedrate
