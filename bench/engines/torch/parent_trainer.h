// SPDX-License-Identifier: Apache-2.0
// The native engine's trainer, fed with batches of the right size that another process loaded: what
// is in them is of no matter to a simulated device.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "bench/trainers/trainer.h"

namespace feedrate {

/// One thread.
class ParentTrainer {
 public:
  using MakeTrainer = std::function<std::unique_ptr<Trainer>(std::size_t batch_bytes)>;
  using Allocate = std::function<HostBuffer(std::size_t size, HostMemory kind)>;

  /// `largest`: bytes of the largest batch, where it is known that batches differ.
  ParentTrainer(MakeTrainer make_trainer, Allocate allocate, std::size_t largest = 0);

  [[nodiscard]] StepTiming step(std::size_t samples, std::size_t bytes, HostMemory kind);
  /// Of all steps.
  [[nodiscard]] std::vector<DeviceSpans> finish();

 private:
  void make_room(std::size_t bytes);
  [[nodiscard]] std::shared_ptr<BatchMemory> free_memory(HostMemory kind);

  MakeTrainer make_trainer_;
  Allocate allocate_;
  std::size_t largest_;
  std::size_t batch_bytes_ = 0;
  std::vector<std::shared_ptr<BatchMemory>> memory_;  // Outlives the trainer, which may read it.
  std::unique_ptr<Trainer> trainer_;
  std::vector<DeviceSpans> spans_;  // Of trainers that became too small.
};

}  // namespace feedrate
