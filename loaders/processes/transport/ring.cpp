// SPDX-License-Identifier: Apache-2.0
// Reusable slots in memory that is mapped before the workers are forked. A worker takes a free slot
// of its own, and the receiver frees it when the batch is released, so that no page is allocated,
// cleared or mapped again. If the consumer keeps so many batches that no slot is free, a fresh
// segment replaces the slot.
#include <array>
#include <atomic>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
#include "device/host_memory.h"
#include "loaders/cache_line.h"
#include "loaders/processes/transport/segment.h"
#include "loaders/processes/transport/transport.h"

namespace feedrate {
namespace {

/// The owner of a slot. reclaim() frees slots that stayed a worker's.
enum class SlotOwner : std::uint32_t { kNobody, kWorker, kConsumer };
/// Written by its worker and the consumer. The next slot may be another worker's, so each has its
/// own cache line.
struct alignas(kCacheLine) SlotState {
  std::atomic<SlotOwner> owner = SlotOwner::kNobody;
};
static_assert(std::atomic<SlotOwner>::is_always_lock_free, "locks do not work between processes");
static_assert(sizeof(SlotState) == kCacheLine, "no two slots share a cache line");

constexpr std::size_t kPage = 4096;
constexpr std::size_t round_to_page(std::size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

/// The slots of all workers, one tensor per slot: those of worker 0 for samples, then for labels,
/// then those of worker 1.
class Ring {
 public:
  explicit Ring(const RingPlan& plan)
      : plan_(plan),
        slot_bytes_{round_to_page(plan.sample_bytes), round_to_page(plan.label_bytes)},
        states_at_end_(plan.workers * plan.slots * (slot_bytes_[0] + slot_bytes_[1])),
        memory_(map_for_children(states_at_end_ + size() * sizeof(SlotState),
                                 fmt::format("the ring of {} batches", plan.workers * plan.slots))),
        states_(reinterpret_cast<SlotState*>(memory_.bytes().data() + states_at_end_)) {
    prefer_huge_pages(memory_.bytes().first(states_at_end_));
    for (std::size_t slot = 0; slot < size(); ++slot) new (states_ + slot) SlotState();
  }

  [[nodiscard]] std::size_t size() const noexcept { return 2 * plan_.workers * plan_.slots; }
  [[nodiscard]] std::atomic<SlotOwner>& owner(std::size_t slot) const {
    return states_[slot].owner;
  }
  [[nodiscard]] MutableBytes bytes(std::size_t slot) const noexcept {
    const std::size_t worker = slot / (2 * plan_.slots);
    const std::size_t index = slot % plan_.slots;
    const bool labels = slot / plan_.slots % 2 == 1;
    const std::size_t start =
        (worker * plan_.slots + (labels ? plan_.slots : index)) * slot_bytes_[0] +
        (worker * plan_.slots + (labels ? index : 0)) * slot_bytes_[1];
    return memory_.bytes().subspan(start, slot_bytes_[labels ? 1 : 0]);
  }

  /// Takes the first free slot for the worker; the first is the most likely to be in the cache.
  [[nodiscard]] std::optional<std::size_t> take(std::size_t worker, Tensor tensor,
                                                std::size_t bytes_needed) const {
    const std::size_t kind = tensor == Tensor::kLabels ? 1 : 0;
    if (bytes_needed > slot_bytes_[kind]) return std::nullopt;
    const std::size_t first = (2 * worker + kind) * plan_.slots;
    for (std::size_t slot = first; slot < first + plan_.slots; ++slot) {
      if (owner(slot).load(std::memory_order_acquire) == SlotOwner::kNobody) {
        owner(slot).store(SlotOwner::kWorker, std::memory_order_relaxed);
        return slot;
      }
    }
    return std::nullopt;
  }
  void give_back(std::size_t slot) const noexcept {
    owner(slot).store(SlotOwner::kNobody, std::memory_order_release);
  }

 private:
  RingPlan plan_;
  std::array<std::size_t, 2> slot_bytes_;
  std::size_t states_at_end_;
  Mapping memory_;
  SlotState* states_;
};

class Slot {
 public:
  Slot(std::shared_ptr<const Ring> ring, std::size_t number)
      : ring_(std::move(ring)), number_(number) {}
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  ~Slot() {
    if (ring_) ring_->give_back(number_);
  }

  [[nodiscard]] MutableBytes bytes() const noexcept { return ring_->bytes(number_); }
  /// Passes the slot to the receiver; returns its number.
  [[nodiscard]] std::size_t release() noexcept {
    ring_.reset();
    return number_;
  }

 private:
  std::shared_ptr<const Ring> ring_;
  std::size_t number_;
};

class RingTensor final : public OutgoingTensor {
 public:
  RingTensor(std::shared_ptr<const Ring> ring, std::size_t slot, std::size_t bytes)
      : slot_(std::move(ring), slot), bytes_(slot_.bytes().first(bytes)) {}

  MutableBytes bytes() const noexcept override { return bytes_; }
  HostMemory kind() const noexcept override { return HostMemory::kPageable; }
  TensorHandle hand_over() override {
    return {.bytes = bytes_.size(), .address = std::to_string(slot_.release()), .descriptor = {}};
  }

 private:
  Slot slot_;
  MutableBytes bytes_;
};

class RingSender final : public TensorSender {
 public:
  RingSender(std::shared_ptr<const Ring> ring, std::size_t worker,
             std::unique_ptr<TensorSender> fallback)
      : ring_(std::move(ring)), worker_(worker), fallback_(std::move(fallback)) {}

  std::shared_ptr<OutgoingTensor> allocate(Tensor tensor, std::size_t bytes) override {
    const std::optional<std::size_t> slot = ring_->take(worker_, tensor, bytes);
    if (!slot) return fallback_->allocate(tensor, bytes);
    return std::make_shared<RingTensor>(ring_, *slot, bytes);
  }

 private:
  std::shared_ptr<const Ring> ring_;
  std::size_t worker_;
  std::unique_ptr<TensorSender> fallback_;
};

class RingMemory final : public BatchMemory {
 public:
  RingMemory(std::shared_ptr<const Ring> ring, std::size_t slot, std::size_t bytes)
      : slot_(std::move(ring), slot), bytes_(slot_.bytes().first(bytes)) {}

  MutableBytes bytes() const noexcept override { return bytes_; }
  HostMemory kind() const noexcept override { return HostMemory::kPageable; }

 private:
  Slot slot_;
  MutableBytes bytes_;
};

class RingTransport final : public TensorTransport {
 public:
  explicit RingTransport(const RingPlan& plan)
      : ring_(std::make_shared<const Ring>(plan)), fallback_(make_fresh_transport()) {}

  std::unique_ptr<TensorSender> make_sender(std::size_t worker) override {
    return std::make_unique<RingSender>(ring_, worker, fallback_->make_sender(worker));
  }

  std::shared_ptr<BatchMemory> receive(TensorHandle handle) override {
    if (handle.address.empty()) return fallback_->receive(std::move(handle));
    const std::size_t slot = slot_of(handle.address);
    if (handle.bytes > ring_->bytes(slot).size())
      throw Error("a worker sent a batch that is too large");
    ring_->owner(slot).store(SlotOwner::kConsumer, std::memory_order_relaxed);
    return std::make_shared<RingMemory>(ring_, slot, handle.bytes);
  }

  void reclaim() noexcept override {
    for (std::size_t slot = 0; slot < ring_->size(); ++slot) {
      if (ring_->owner(slot) == SlotOwner::kWorker) ring_->give_back(slot);
    }
  }

 private:
  [[nodiscard]] std::size_t slot_of(std::string_view address) const {
    std::size_t slot = ring_->size();
    std::from_chars(address.data(), address.data() + address.size(), slot);
    if (slot >= ring_->size()) throw Error("a worker sent a batch in an invalid slot");
    return slot;
  }

  std::shared_ptr<const Ring> ring_;
  std::unique_ptr<TensorTransport> fallback_;
};

}  // namespace

std::unique_ptr<TensorTransport> make_ring_transport(const RingPlan& plan) {
  return std::make_unique<RingTransport>(plan);
}

}  // namespace feedrate
