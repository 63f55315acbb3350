// SPDX-License-Identifier: Apache-2.0
// Pinned memory as PyTorch's caching host allocator hands it out: blocks of powers of two, never
// given back to the system, used again only when the device has read them.
// Source: aten/src/ATen/core/CachingHostAllocator.h; see docs/loader.md.
#pragma once
#include <cstddef>
#include <memory>

#include "loaders/batch_memory.h"

namespace feedrate {

/// Safe for concurrent use. What it lends may outlive it, but not its device, which the cache must
/// not outlive either.
class PinnedCache {
 public:
  explicit PinnedCache(Device& device);

  /// `size` bytes of a block of bit_ceil(size): the one of that size that was freed last, else a
  /// new one. A block that a stream was recorded on is free once the events that are recorded when
  /// it is given back have happened; they are looked at here, the oldest first, up to the first
  /// that has not.
  [[nodiscard]] std::shared_ptr<BatchMemory> acquire(std::size_t size);

 private:
  class Blocks;
  class Lease;

  std::shared_ptr<Blocks> blocks_;  // Shared with the leases, which may be the last to go.
};

}  // namespace feedrate
