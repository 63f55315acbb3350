// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/torch/parent_trainer.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace feedrate {

ParentTrainer::ParentTrainer(MakeTrainer make_trainer, Allocate allocate, std::size_t largest)
    : make_trainer_(std::move(make_trainer)), allocate_(std::move(allocate)), largest_(largest) {}

StepTiming ParentTrainer::step(std::size_t samples, std::size_t bytes, HostMemory kind) {
  make_room(bytes);
  Batch batch;
  batch.buffer = free_memory(kind);
  batch.bytes_used = bytes;
  batch.labels.resize(samples);
  return trainer_->step(std::move(batch));
}

std::vector<DeviceSpans> ParentTrainer::finish() {
  if (trainer_) {
    const std::vector<DeviceSpans> last = trainer_->finish();
    spans_.insert(spans_.end(), last.begin(), last.end());
  }
  return std::move(spans_);
}

// Makes a trainer for larger batches if `bytes` needs one. It waits for the device, so it doubles
// the size to happen rarely. It happens only if samples differ in size.
void ParentTrainer::make_room(std::size_t bytes) {
  if (trainer_ && bytes <= batch_bytes_) return;
  const std::size_t wanted = std::max(bytes, trainer_ ? 2 * batch_bytes_ : largest_);
  spans_ = finish();
  trainer_.reset();
  memory_.clear();
  trainer_ = make_trainer_(wanted);
  batch_bytes_ = wanted;
}

std::shared_ptr<BatchMemory> ParentTrainer::free_memory(HostMemory kind) {
  for (const std::shared_ptr<BatchMemory>& memory : memory_) {
    if (memory.use_count() == 1 && memory->kind() == kind) return memory;
  }
  memory_.push_back(std::make_shared<OwnedMemory>(allocate_(batch_bytes_, kind)));
  // Untouched pages all map one page of zeros, which a copy would read from the CPU's cache.
  const MutableBytes bytes = memory_.back()->bytes();
  std::fill(bytes.begin(), bytes.end(), std::byte{1});
  return memory_.back();
}

}  // namespace feedrate
