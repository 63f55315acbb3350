// SPDX-License-Identifier: Apache-2.0
#include "device/mapped_pages.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.h"
#include "device/host_memory.h"
#include "device/numa.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // Linux 5.14; older C libraries lack it.
#endif

namespace feedrate {
namespace {

constexpr std::size_t kBytesPerThread = std::size_t{16} << 20;  // some milliseconds of faults
constexpr std::size_t kMaxThreads = 4;

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

MappedPages map_advised(std::size_t size, std::size_t whole) {
  if (size > std::numeric_limits<std::size_t>::max() / 2) refuse(size);
  MappedPages pages = map_aligned(round_up(size, whole));
  prefer_huge_pages({pages.get(), pages.get_deleter().mapped});
  return pages;
}

// Writes to each page if the kernel does not know MADV_POPULATE_WRITE.
void touch_pages(std::byte* data, std::size_t size) {
  if (madvise(data, size, MADV_POPULATE_WRITE) == 0) return;
  for (std::size_t at = 0; at < size; at += kPageBytes) {
    static_cast<volatile std::byte*>(data)[at] = std::byte{0};
  }
}

void make_resident_by_threads(std::byte* data, std::size_t size) {
  const std::size_t threads = std::clamp<std::size_t>(size / kBytesPerThread, 1, kMaxThreads);
  const std::size_t share = round_up(size / threads, kHugePageBytes);
  std::vector<std::jthread> others;
  std::size_t begin = 0;
  for (; begin + share < size; begin += share) {
    others.emplace_back([=] { touch_pages(data + begin, share); });
  }
  touch_pages(data + begin, size - begin);
}

}  // namespace

void UnmapPages::operator()(std::byte* data) const noexcept { munmap(data, mapped); }

MappedPages map_huge(std::size_t size) {
  // Pages have 64 KiB on some aarch64 machines, and munmap() needs an address that begins a page.
  return map_advised(size, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
}

MappedPages map_resident(std::size_t size, std::optional<int> node) {
  MappedPages pages = map_advised(size, kHugePageBytes);
  const std::size_t mapped = pages.get_deleter().mapped;
  if (node) prefer_node(pages.get(), mapped, *node);
  make_resident_by_threads(pages.get(), mapped);
  return pages;
}

}  // namespace feedrate
