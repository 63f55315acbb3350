// SPDX-License-Identifier: Apache-2.0
// How batches went to the GPU: from pinned memory or not, how fast, and who waited. Pure functions;
// any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/profile/timeline.h"

namespace feedrate {

/// All copies from one kind of host memory to GPUs, during the steps.
struct CopyFinding {
  MemoryKind source = MemoryKind::kUnknown;
  std::size_t copies = 0;
  std::uint64_t bytes = 0;
  std::uint64_t largest = 0;  ///< bytes of one
  Nanos time{};               ///< on the GPU, each copy's summed up
  Nanos overlapped{};         ///< of it, under a kernel of the same GPU
  /// Those that the host waited for before it launched anything else: a copy without non_blocking.
  std::size_t blocking = 0;
  Nanos waited{};  ///< by the host, for these
  /// Copies whose bytes were not recorded. Where there are any, `bytes` and `largest` say nothing.
  std::size_t without_bytes = 0;

  [[nodiscard]] bool has_bytes() const noexcept { return without_bytes == 0; }
  /// Not a number without any time.
  [[nodiscard]] double bytes_per_second() const {
    return static_cast<double>(bytes) / to_seconds(time);
  }
  [[nodiscard]] double overlapped_share() const {
    return to_seconds(overlapped) / to_seconds(time);
  }
};

/// By kind; those that were not seen are not there. `steps` as adjusted_steps() gives them.
[[nodiscard]] std::vector<CopyFinding> copy_findings(const Timeline& timeline,
                                                     const std::vector<StepSpan>& steps);

/// "pinned", "pageable", "device", "unknown".
[[nodiscard]] const char* memory_kind_name(MemoryKind kind);

}  // namespace feedrate
