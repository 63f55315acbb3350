// SPDX-License-Identifier: Apache-2.0
// Ranges that NVIDIA's tools (Nsight Systems) show with CUDA's calls, in the domain "feedrate".
// Any thread. Costs some nanoseconds without a tool, nothing without NVTX.
#pragma once
#include <cstdint>
#include <string>

namespace feedrate {

/// Lasts from construction to destruction, on one thread; ranges nest.
class NvtxRange {
 public:
  /// `name` is a literal. `number` is a batch's sequence number or a sample's record.
  NvtxRange(const char* name, std::uint64_t number) noexcept;
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
  ~NvtxRange();
  /// Ends the range and begins another one.
  void next(const char* name, std::uint64_t number) noexcept;
};

/// Whether a tool receives the ranges, in plain words.
[[nodiscard]] std::string describe_nvtx();

}  // namespace feedrate
