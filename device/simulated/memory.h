// SPDX-License-Identifier: Apache-2.0
// Bookkeeping of the simulated device's memory: which host addresses are pinned, and how much of
// the device is taken. Not thread-safe.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>

#include "core/units.h"
#include "device/host_memory.h"

namespace feedrate {

/// Host memory counted as page-locked. Owns it, so that an address can tell its kind as it does for
/// a driver.
class PinnedMemory {
 public:
  std::byte* add(Pages pages, std::size_t size);
  /// Gives the memory back. REQUIRES: `data` came from add().
  void remove(std::byte* data) noexcept;
  /// Whether all of `range` lies in one pinned allocation.
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

/// Device memory of a given capacity, backed by real memory or by addresses alone.
class DeviceMemory {
 public:
  DeviceMemory(std::size_t capacity, bool backed) : capacity_(capacity), backed_(backed) {}

  /// Null for size 0. Throws DeviceError if so much is not free.
  [[nodiscard]] std::byte* allocate(std::size_t size);
  /// REQUIRES: `data` and `size` are those of an allocate().
  void release(std::byte* data, std::size_t size) noexcept;

 private:
  std::size_t capacity_;
  bool backed_;
  std::size_t used_ = 0;
  std::uintptr_t next_address_ = std::uintptr_t{1}
                                 << 48;  // never mapped: a host that reads it crashes
};

}  // namespace feedrate
