// SPDX-License-Identifier: Apache-2.0
// Ranges that NVIDIA's tools (Nsight Systems) show beside CUDA's calls, in the domain "feedrate".
// Any thread. Costs some nanoseconds where no tool listens, nothing where NVTX is not built in.
#pragma once
#include <cstdint>
#include <string>

namespace feedrate {

/// From its construction to its destruction, on the same thread; ranges nest.
class NvtxRange {
 public:
  /// `name` is a literal. `number`: which one, of a batch its sequence, of a sample its record.
  NvtxRange(const char* name, std::uint64_t number) noexcept;
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
  ~NvtxRange();
  /// Ends the range and begins a new one under another name.
  void next(const char* name, std::uint64_t number) noexcept;
};

/// Whether ranges go anywhere, in plain words.
[[nodiscard]] std::string describe_nvtx();

}  // namespace feedrate
