// SPDX-License-Identifier: Apache-2.0
// Memory of a batch; each loader allocates it in its own way.
#pragma once
#include <memory>
#include <utility>

#include "device/device.h"

namespace feedrate {

/// The destructor returns the memory. Any thread may use it, one at a time. Must be destroyed
/// before the device.
class BatchMemory {
 public:
  virtual ~BatchMemory() = default;
  [[nodiscard]] virtual MutableBytes bytes() const noexcept = 0;
  [[nodiscard]] virtual HostMemory kind() const noexcept = 0;

  /// Declares that work on `stream` reads this memory asynchronously, as after a non_blocking copy.
  /// Reusable memory is reused only after the work queued on `stream` before this object's
  /// destruction. Pageable memory waits for nothing: a copy from it returns after the read, and a
  /// caller whose decoder reads it waits for the decoder. `stream` must outlive this object.
  virtual void record_stream(DeviceStream& /*stream*/) {}
};

/// Memory that is used once and freed by the destructor.
class OwnedMemory final : public BatchMemory {
 public:
  explicit OwnedMemory(HostBuffer buffer) : buffer_(std::move(buffer)) {}
  MutableBytes bytes() const noexcept override { return buffer_.bytes(); }
  HostMemory kind() const noexcept override { return buffer_.kind(); }

 private:
  HostBuffer buffer_;
};

}  // namespace feedrate
