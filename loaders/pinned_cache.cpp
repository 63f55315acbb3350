// SPDX-License-Identifier: Apache-2.0
#include "loaders/pinned_cache.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace feedrate {

class PinnedCache::Blocks {
 public:
  explicit Blocks(Device& device) : device_(device) {}

  HostBuffer take(std::size_t size) {
    const std::size_t rounded = std::bit_ceil(size);
    {
      const std::lock_guard lock(mutex_);
      collect();
      std::vector<HostBuffer>& fitting = free_[rounded];
      if (!fitting.empty()) {
        HostBuffer block = std::move(fitting.back());
        fitting.pop_back();
        return block;
      }
    }
    return device_.allocate_host(rounded, HostMemory::kPinned);
  }

  void put(HostBuffer block, const std::vector<DeviceStream*>& streams) {
    Used used{std::move(block), {}};
    for (DeviceStream* stream : streams) {
      used.events.push_back(device_.create_event());
      stream->record(*used.events.back());
    }
    const std::lock_guard lock(mutex_);
    if (used.events.empty()) {
      free_[used.block.size()].push_back(std::move(used.block));
    } else {
      used_.push_back(std::move(used));
    }
  }

 private:
  struct Used {
    HostBuffer block;
    std::vector<std::unique_ptr<DeviceEvent>> events;
  };

  void collect() {
    const auto is_done = [](const auto& event) { return event->query(); };
    while (!used_.empty()) {
      Used& oldest = used_.front();
      if (!std::all_of(oldest.events.begin(), oldest.events.end(), is_done)) return;
      free_[oldest.block.size()].push_back(std::move(oldest.block));
      used_.pop_front();
    }
  }

  Device& device_;
  std::mutex mutex_;
  std::map<std::size_t, std::vector<HostBuffer>> free_;  // By block size; last in, first out.
  std::deque<Used> used_;                                // Oldest first; may still be read.
};

class PinnedCache::Lease final : public BatchMemory {
 public:
  Lease(HostBuffer block, std::size_t size, std::shared_ptr<Blocks> blocks)
      : block_(std::move(block)), size_(size), blocks_(std::move(blocks)) {}
  // If the device cannot create an event, it may still read the block, which is then never reused.
  ~Lease() override {
    try {
      blocks_->put(std::move(block_), streams_);
    } catch (const std::exception&) {
    }
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  MutableBytes bytes() const noexcept override { return block_.bytes().first(size_); }
  HostMemory kind() const noexcept override { return HostMemory::kPinned; }
  void record_stream(DeviceStream& stream) override {
    if (std::find(streams_.begin(), streams_.end(), &stream) == streams_.end()) {
      streams_.push_back(&stream);
    }
  }

 private:
  HostBuffer block_;
  std::size_t size_;
  std::vector<DeviceStream*> streams_;
  std::shared_ptr<Blocks> blocks_;
};

PinnedCache::PinnedCache(Device& device) : blocks_(std::make_shared<Blocks>(device)) {}

std::shared_ptr<BatchMemory> PinnedCache::acquire(std::size_t size) {
  return std::make_shared<Lease>(blocks_->take(size), size, blocks_);
}

}  // namespace feedrate
