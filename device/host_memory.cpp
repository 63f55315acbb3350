#include "device/host_memory.h"

#include <limits>

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {

Pages allocate_pages(std::size_t size) {
  if (size == 0) return nullptr;
  Pages pages;
  if (size <= std::numeric_limits<std::size_t>::max() - kPageBytes) {
    const std::size_t whole_pages = (size + kPageBytes - 1) / kPageBytes * kPageBytes;
    pages.reset(static_cast<std::byte*>(std::aligned_alloc(kPageBytes, whole_pages)));
  }
  if (!pages) throw DeviceError(fmt::format("host memory: {} bytes are not available", size));
  return pages;
}

HostBuffer allocate_pageable(std::size_t size) {
  return {allocate_pages(size).release(), size, HostMemory::kPageable, FreePages{}};
}

}  // namespace feedrate
