// SPDX-License-Identifier: Apache-2.0
#include "device/host_memory.h"

#include <cstdint>
#include <limits>

#include <fmt/format.h>
#include <sys/mman.h>

#include "core/error.h"
#include "device/mapped_pages.h"

namespace feedrate {

Pages allocate_pages(std::size_t size) {
  if (size == 0) return nullptr;
  void* memory = nullptr;
  const bool is_possible = size <= std::numeric_limits<std::size_t>::max() - kPageBytes;
  const std::size_t whole_pages = (size + kPageBytes - 1) / kPageBytes * kPageBytes;
  // aligned_alloc() may require a size that is a multiple of the alignment.
  if (!is_possible || ::posix_memalign(&memory, kPageBytes, whole_pages) != 0) {
    throw DeviceError(fmt::format("host memory: {} bytes are not available", size));
  }
  return Pages(static_cast<std::byte*>(memory));
}

HostBuffer allocate_pageable(std::size_t size) {
  if (size < kHugePageBytes) {
    return {allocate_pages(size).release(), size, HostMemory::kPageable, FreePages{}};
  }
  // Pages of the heap may have been touched before.
  MappedPages pages = map_huge(size);
  const UnmapPages unmap = pages.get_deleter();
  return {pages.release(), size, HostMemory::kPageable, unmap};
}

void prefer_huge_pages(MutableBytes range) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(range.data());
  const std::uintptr_t begin = (address + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  const std::uintptr_t end = (address + range.size()) / kHugePageBytes * kHugePageBytes;
  if (begin >= end) return;
  static_cast<void>(::madvise(range.data() + (begin - address), end - begin, MADV_HUGEPAGE));
}

}  // namespace feedrate
