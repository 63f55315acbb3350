// SPDX-License-Identifier: Apache-2.0
#include "loaders/buffer_pool.h"

#include <mutex>
#include <utility>
#include <vector>

#include "device/host_memory.h"

namespace feedrate {

class BufferPool::DatasetCatalog {
 public:
  // Last in, first out: the warmest first.
  HostBuffer take(std::size_t size) {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return allocate_pageable(size);
    HostBuffer buffer = std::move(free_.back());
    free_.pop_back();
    return buffer;
  }

  void put(HostBuffer buffer) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(buffer));
  }

 private:
  std::mutex mutex_;
  std::vector<HostBuffer> free_;  // Guarded by mutex_.
};

class BufferPool::Lease final : public BatchMemory {
 public:
  Lease(HostBuffer buffer, std::size_t size, std::shared_ptr<DatasetCatalog> catalog)
      : buffer_(std::move(buffer)), size_(size), catalog_(std::move(catalog)) {}
  ~Lease() override { catalog_->put(std::move(buffer_)); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  MutableBytes bytes() const noexcept override { return buffer_.bytes().first(size_); }
  HostMemory kind() const noexcept override { return HostMemory::kPageable; }

 private:
  HostBuffer buffer_;
  std::size_t size_;
  std::shared_ptr<DatasetCatalog> catalog_;
};

BufferPool::BufferPool(std::size_t buffer_size)
    : buffer_size_(buffer_size), catalog_(std::make_shared<DatasetCatalog>()) {}

std::shared_ptr<BatchMemory> BufferPool::acquire(std::size_t size) {
  return std::make_shared<Lease>(catalog_->take(buffer_size_), size, catalog_);
}

}  // namespace feedrate
