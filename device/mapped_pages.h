// SPDX-License-Identifier: Apache-2.0
// Host memory in mappings of its own, in huge pages if the kernel has some. Safe from any thread.
#pragma once
#include <cstddef>
#include <memory>

namespace feedrate {

inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

struct UnmapPages {
  std::size_t mapped = 0;
  void operator()(std::byte* data) const noexcept;
};
using MappedPages = std::unique_ptr<std::byte, UnmapPages>;

/// Maps at least `size` bytes, aligned to kHugePageBytes, zero and untouched. Bytes behind the last
/// whole huge page are in small pages. Throws DeviceError if memory is short. REQUIRES: size > 0
[[nodiscard]] MappedPages map_huge(std::size_t size);

}  // namespace feedrate
