#include "loaders/buffer_pool.h"

#include <utility>

namespace feedrate {

BufferPool::BufferPool(Device& device, HostMemory kind, std::size_t buffer_size)
    : device_(device), kind_(kind), buffer_size_(buffer_size), shelf_(std::make_shared<Shelf>()) {}

std::shared_ptr<const HostBuffer> BufferPool::acquire() {
  HostBuffer buffer;
  {
    const std::lock_guard lock(shelf_->mutex);
    if (!shelf_->free.empty()) {
      buffer = std::move(shelf_->free.back());
      shelf_->free.pop_back();
    }
  }
  if (buffer.size() != buffer_size_) buffer = device_.allocate_host(buffer_size_, kind_);
  auto owned = std::make_unique<HostBuffer>(std::move(buffer));
  return {owned.release(), [shelf = shelf_](HostBuffer* lent) {
            const std::unique_ptr<HostBuffer> back(lent);
            const std::lock_guard lock(shelf->mutex);
            shelf->free.push_back(std::move(*back));
          }};
}

}  // namespace feedrate
