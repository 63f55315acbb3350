// SPDX-License-Identifier: Apache-2.0
#include "device/mapped_pages.h"

#include <cstdint>
#include <limits>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.h"
#include "device/host_memory.h"

namespace feedrate {
namespace {

std::size_t round_up(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

[[noreturn]] void refuse(std::size_t size) {
  throw DeviceError(fmt::format("host memory: {} bytes are not available", size));
}

// Maps more than needed and unmaps the unaligned ends.
MappedPages map_aligned(std::size_t size) {
  const std::size_t spare = size + kHugePageBytes;
  void* const mapped =
      mmap(nullptr, spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) refuse(size);
  auto* const begin = static_cast<std::byte*>(mapped);
  const std::size_t before =
      kHugePageBytes - reinterpret_cast<std::uintptr_t>(begin) % kHugePageBytes;
  munmap(begin, before);
  if (before < kHugePageBytes) munmap(begin + before + size, kHugePageBytes - before);
  return {begin + before, UnmapPages{size}};
}

}  // namespace

void UnmapPages::operator()(std::byte* data) const noexcept { munmap(data, mapped); }

MappedPages map_huge(std::size_t size) {
  if (size > std::numeric_limits<std::size_t>::max() / 2) refuse(size);
  // Pages have 64 KiB on some aarch64 machines, and munmap() needs an address that begins a page.
  MappedPages pages =
      map_aligned(round_up(size, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))));
  prefer_huge_pages({pages.get(), pages.get_deleter().mapped});
  return pages;
}

}  // namespace feedrate
