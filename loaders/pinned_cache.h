// SPDX-License-Identifier: Apache-2.0
// Pinned memory, cached as by PyTorch's caching host allocator: blocks are powers of two, are never
// returned to the system, and are reused only after the device has read them.
// Source: aten/src/ATen/core/CachingHostAllocator.h; see docs/loader.md.
#pragma once
#include <cstddef>
#include <memory>

#include "loaders/batch_memory.h"

namespace feedrate {

/// Thread-safe. The device must outlive the cache and the memory that it lends; that memory may
/// outlive the cache.
class PinnedCache {
 public:
  explicit PinnedCache(Device& device);

  /// Lends `size` bytes of a block of bit_ceil(size): the block of that size freed last, else a new
  /// one. A block with recorded streams is free once the events recorded at its return have
  /// completed. acquire() polls these events from the oldest to the first incomplete one.
  [[nodiscard]] std::shared_ptr<BatchMemory> acquire(std::size_t size);

 private:
  class Blocks;
  class Lease;

  std::shared_ptr<Blocks> blocks_;  // Shared with the leases, which may outlive the cache.
};

}  // namespace feedrate
