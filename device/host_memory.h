// SPDX-License-Identifier: Apache-2.0
// Host memory in whole pages, as both backends hand it out. Safe from any thread.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <memory>

#include "core/units.h"
#include "device/buffer.h"

namespace feedrate {

inline constexpr std::size_t kPageBytes = 4096;

struct FreePages {
  void operator()(std::byte* data) const noexcept { std::free(data); }
};
using Pages = std::unique_ptr<std::byte, FreePages>;

/// Page-aligned memory, not touched yet. Throws DeviceError if there is none; null for size 0.
[[nodiscard]] Pages allocate_pages(std::size_t size);

/// Pageable memory, which needs no device; of 2 MiB and more in huge pages, if the kernel has some.
[[nodiscard]] HostBuffer allocate_pageable(std::size_t size);

/// Asks for huge pages as far as `range`, which is not touched yet, covers whole ones. It is
/// advice: where the kernel gives none, all works as well.
void prefer_huge_pages(MutableBytes range) noexcept;

}  // namespace feedrate
