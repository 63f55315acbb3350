// SPDX-License-Identifier: Apache-2.0
// The native engine's trainer for batches that another process loaded. It gets memory of the same
// size: the content of a batch does not matter to a simulated device.
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

  /// `largest` is the bytes of the largest batch, if batches differ and it is known; else 0.
  ParentTrainer(MakeTrainer make_trainer, Allocate allocate, std::size_t largest = 0);

  [[nodiscard]] StepTiming step(std::size_t samples, std::size_t bytes, HostMemory kind);
  /// Returns the spans of all steps.
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
  std::vector<DeviceSpans> spans_;  // Spans of earlier trainers, which became too small.
};

}  // namespace feedrate
