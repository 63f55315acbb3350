// SPDX-License-Identifier: Apache-2.0
// The memory that a batch lies in, wherever a loader took it from.
#pragma once
#include <memory>
#include <utility>

#include "device/device.h"

namespace feedrate {

/// Given back by its destructor. Any thread, one at a time. Must die before the device.
class BatchMemory {
 public:
  virtual ~BatchMemory() = default;
  [[nodiscard]] virtual MutableBytes bytes() const noexcept = 0;
  [[nodiscard]] virtual HostMemory kind() const noexcept = 0;

  /// Says that work on `stream` reads this memory behind the caller's back, as after a non_blocking
  /// copy: memory that is going to be used again then waits for what `stream` was given before this
  /// object's end. Pageable memory waits for nothing: a copy from it returns when it has been read,
  /// and who has a decoder read it waits for that. `stream` outlives this object.
  virtual void record_stream(DeviceStream& /*stream*/) {}
};

/// Memory of its own, used once.
class OwnedMemory final : public BatchMemory {
 public:
  explicit OwnedMemory(HostBuffer buffer) : buffer_(std::move(buffer)) {}
  MutableBytes bytes() const noexcept override { return buffer_.bytes(); }
  HostMemory kind() const noexcept override { return buffer_.kind(); }

 private:
  HostBuffer buffer_;
};

}  // namespace feedrate
