// SPDX-License-Identifier: Apache-2.0
#include "loaders/buffer_pool.h"

#include <mutex>
#include <utility>
#include <vector>

#include "device/host_memory.h"

namespace feedrate {

class BufferPool::FreeList {
 public:
  // Last in, first out: the buffer used last is the one most likely in the CPU's cache.
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
  std::vector<HostBuffer> free_;
};

class BufferPool::Lease final : public BatchMemory {
 public:
  Lease(HostBuffer buffer, std::size_t size, std::shared_ptr<FreeList> free_list)
      : buffer_(std::move(buffer)), size_(size), free_list_(std::move(free_list)) {}
  ~Lease() override { free_list_->put(std::move(buffer_)); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  MutableBytes bytes() const noexcept override { return buffer_.bytes().first(size_); }
  HostMemory kind() const noexcept override { return HostMemory::kPageable; }

 private:
  HostBuffer buffer_;
  std::size_t size_;
  std::shared_ptr<FreeList> free_list_;
};

BufferPool::BufferPool(std::size_t buffer_size)
    : buffer_size_(buffer_size), free_list_(std::make_shared<FreeList>()) {}

std::shared_ptr<BatchMemory> BufferPool::acquire(std::size_t size) {
  return std::make_shared<Lease>(free_list_->take(buffer_size_), size, free_list_);
}

}  // namespace feedrate
