// SPDX-License-Identifier: Apache-2.0
// Pageable buffers of one size, used again and again, as malloc does with what was freed last.
#pragma once
#include <cstddef>
#include <memory>

#include "loaders/batch_memory.h"

namespace feedrate {

/// Grows to the largest number ever out at once; never shrinks. What bounds that number is the
/// loader's protocol, not the pool. Safe for concurrent use; what it lends may outlive it.
class BufferPool {
 public:
  explicit BufferPool(std::size_t buffer_size);

  /// The first `size` bytes of a buffer on loan. REQUIRES: size <= buffer_size
  [[nodiscard]] std::shared_ptr<BatchMemory> acquire(std::size_t size);

 private:
  class DatasetCatalog;
  class Lease;

  std::size_t buffer_size_;
  std::shared_ptr<DatasetCatalog> catalog_;  // Shared with the leases, which may be the last to go.
};

}  // namespace feedrate
