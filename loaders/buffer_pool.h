// Host buffers of one size, used again and again, so that allocating and pinning stay outside the
// measured steps.
#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "device/device.h"

namespace feedrate {

/// Grows to the largest number ever out at once; never shrinks. What bounds that number is the
/// loader's protocol, not the pool. Safe for concurrent use; leases may outlive the pool, but not
/// its device.
class BufferPool {
 public:
  BufferPool(Device& device, HostMemory kind, std::size_t buffer_size);

  /// A buffer on loan: goes back by itself when the last copy of the pointer dies.
  [[nodiscard]] std::shared_ptr<const HostBuffer> acquire();

 private:
  // Shared with the leases, which may be the last to go.
  struct Shelf {
    std::mutex mutex;
    std::vector<HostBuffer> free;  // Guarded by mutex. Last in, first out: the warmest first.
  };

  Device& device_;
  HostMemory kind_;
  std::size_t buffer_size_;
  std::shared_ptr<Shelf> shelf_;
};

}  // namespace feedrate
