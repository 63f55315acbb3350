// SPDX-License-Identifier: Apache-2.0
// Owning handles of memory that a device allocates. They must be destroyed before their device.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>

#include "core/units.h"

namespace feedrate {

enum class HostMemory {
  kPageable,  ///< plain memory: the driver stages a copy to the device
  kPinned,    ///< page-locked: the device copies it directly
};

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

/// Memory that the host cannot read.
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
