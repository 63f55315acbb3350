// Host memory to be page-locked: mapped for itself, in huge pages where the kernel has some, and
// all of it there before anybody locks it, since faulting it in within the driver takes twice as
// long. Any thread.
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

/// At least `size` bytes, aligned to kHugePageBytes, zero, resident; touched by several threads
/// where it is large. On NUMA node `node` if one is given. Throws DeviceError if there is no room.
/// REQUIRES: size > 0
[[nodiscard]] MappedPages map_resident(std::size_t size, std::optional<int> node);

}  // namespace feedrate
