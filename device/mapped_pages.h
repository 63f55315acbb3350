// SPDX-License-Identifier: Apache-2.0
// Host memory that is mapped for itself, in huge pages where the kernel has some. What is to be
// page-locked is all there before anybody locks it, since faulting it in within the driver takes
// twice as long. Any thread.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>

namespace feedrate {

inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

struct UnmapPages {
  std::size_t mapped = 0;
  void operator()(std::byte* data) const noexcept;
};
using MappedPages = std::unique_ptr<std::byte, UnmapPages>;

/// At least `size` bytes, aligned to kHugePageBytes, zero, not touched yet. What is behind the last
/// whole huge page lies in small ones. Throws DeviceError if there is no room. REQUIRES: size > 0
[[nodiscard]] MappedPages map_huge(std::size_t size);

/// The same, resident; touched by several threads
/// where it is large. On NUMA node `node` if one is given. Throws DeviceError if there is no room.
/// REQUIRES: size > 0
[[nodiscard]] MappedPages map_resident(std::size_t size, std::optional<int> node);

}  // namespace feedrate
