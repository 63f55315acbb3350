// SPDX-License-Identifier: Apache-2.0
#include "device/simulated/memory.h"

#include <iterator>

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {
namespace {

std::uintptr_t address_of(const std::byte* data) { return reinterpret_cast<std::uintptr_t>(data); }

}  // namespace

std::byte* PinnedMemory::add(Pages pages, std::size_t size) {
  std::byte* data = pages.get();
  allocations_.emplace(address_of(data), Allocation{std::move(pages), size});
  size_ += size;
  return data;
}

void PinnedMemory::remove(std::byte* data) noexcept {
  const auto found = allocations_.find(address_of(data));
  size_ -= found->second.size;
  allocations_.erase(found);
}

bool PinnedMemory::covers(Bytes range) const {
  const std::uintptr_t first = address_of(range.data());
  const auto above = allocations_.upper_bound(first);
  if (above == allocations_.begin()) return false;
  const auto& [start, allocation] = *std::prev(above);
  return first + range.size() <= start + allocation.size;
}

std::byte* DeviceMemory::allocate(std::size_t size) {
  if (size > capacity_ - used_) {
    throw DeviceError(fmt::format("device memory: {} bytes requested, but only {} of {} are free",
                                  size, capacity_ - used_, capacity_));
  }
  used_ += size;
  if (size == 0) return nullptr;
  if (backed_) return allocate_pages(size).release();
  const std::uintptr_t address = next_address_;
  next_address_ += (size + kPageBytes - 1) / kPageBytes * kPageBytes;
  return reinterpret_cast<std::byte*>(address);
}

void DeviceMemory::release(std::byte* data, std::size_t size) noexcept {
  used_ -= size;
  if (backed_) FreePages{}(data);
}

}  // namespace feedrate
