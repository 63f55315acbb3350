// SPDX-License-Identifier: Apache-2.0
// Memory that a device hands out, owned by the rule of zero.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>

#include "core/units.h"

namespace feedrate {

enum class HostMemory {
  kPageable,  ///< plain memory: a copy to the device is staged by the driver
  kPinned,    ///< page-locked: the device copies by itself
};

/// Host memory and how to give it back. Must die before the device it came from.
class HostBuffer {
 public:
  using Release = std::function<void(std::byte*)>;

  HostBuffer() = default;
  HostBuffer(std::byte* data, std::size_t size, HostMemory kind, Release release)
      : data_(data, std::move(release)), size_(size), kind_(kind) {}

  [[nodiscard]] MutableBytes bytes() const noexcept { return {data_.get(), size_}; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] HostMemory kind() const noexcept { return kind_; }

 private:
  std::unique_ptr<std::byte, Release> data_;
  std::size_t size_ = 0;
  HostMemory kind_ = HostMemory::kPageable;
};

/// Memory of the device; the host may not read it. Must die before its device.
class DeviceBuffer {
 public:
  using Release = std::function<void(std::byte*)>;

  DeviceBuffer() = default;
  DeviceBuffer(std::byte* data, std::size_t size, Release release)
      : data_(data, std::move(release)), size_(size) {}

  [[nodiscard]] std::byte* data() const noexcept { return data_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  std::unique_ptr<std::byte, Release> data_;
  std::size_t size_ = 0;
};

}  // namespace feedrate
