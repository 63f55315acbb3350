// SPDX-License-Identifier: Apache-2.0
// Accounting of the simulated device's pinned and device memory. Not thread-safe.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>

#include "core/units.h"
#include "device/host_memory.h"

namespace feedrate {

/// Owns page-locked memory, so that it can look up an address as a driver does.
class PinnedMemory {
 public:
  std::byte* add(Pages pages, std::size_t size);
  /// REQUIRES: `data` came from add().
  void remove(std::byte* data) noexcept;
  [[nodiscard]] bool covers(Bytes range) const;
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  struct Allocation {
    Pages pages;
    std::size_t size;
  };
  std::map<std::uintptr_t, Allocation> allocations_;  // by first address
  std::size_t size_ = 0;
};

/// Device memory of a given capacity, backed by real memory or by addresses only.
class DeviceMemory {
 public:
  DeviceMemory(std::size_t capacity, bool backed) : capacity_(capacity), backed_(backed) {}

  /// Returns null for size 0. Throws DeviceError if `size` bytes are not free.
  [[nodiscard]] std::byte* allocate(std::size_t size);
  /// REQUIRES: allocate(size) returned `data`.
  void release(std::byte* data, std::size_t size) noexcept;

 private:
  std::size_t capacity_;
  bool backed_;
  std::size_t used_ = 0;
  std::uintptr_t next_address_ = std::uintptr_t{1} << 48;  // never mapped: reading it crashes
};

}  // namespace feedrate
