// SPDX-License-Identifier: Apache-2.0
// Host memory in whole pages, for both backends. Safe from any thread.
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

/// Page-aligned, untouched memory; null for size 0. Throws DeviceError if there is none.
[[nodiscard]] Pages allocate_pages(std::size_t size);

/// Pageable memory, which needs no device. Sizes from 2 MiB use huge pages if the kernel has some.
[[nodiscard]] HostBuffer allocate_pageable(std::size_t size);

/// Advises the kernel to use huge pages for each whole one in `range`, which must be untouched. The
/// advice may have no effect.
void prefer_huge_pages(MutableBytes range) noexcept;

}  // namespace feedrate
