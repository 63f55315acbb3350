// SPDX-License-Identifier: Apache-2.0
// Reusable pageable buffers of one size; malloc also reuses the block freed last.
#pragma once
#include <cstddef>
#include <memory>

#include "loaders/batch_memory.h"

namespace feedrate {

/// Grows to the largest number of buffers lent at once and never shrinks; the loader's protocol
/// bounds that number. Thread-safe. Lent buffers may outlive the pool.
class BufferPool {
 public:
  explicit BufferPool(std::size_t buffer_size);

  /// Lends the first `size` bytes of a buffer. REQUIRES: size <= buffer_size
  [[nodiscard]] std::shared_ptr<BatchMemory> acquire(std::size_t size);

 private:
  class FreeList;
  class Lease;

  std::size_t buffer_size_;
  std::shared_ptr<FreeList> free_list_;  // Shared with the leases, which may outlive the pool.
};

}  // namespace feedrate
