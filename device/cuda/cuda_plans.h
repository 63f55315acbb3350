// SPDX-License-Identifier: Apache-2.0
// Plans of images on their way to the device. One stream's; one thread at a time. Needs no CUDA
// header.
#pragma once
#include <array>
#include <cstddef>
#include <span>

#include "device/cuda/context.h"
#include "device/cuda/cuda_event.h"
#include "device/cuda/cuda_memory.h"
#include "device/cuda/kernels.h"
#include "device/work.h"

namespace feedrate {

/// Refers to its context.
class CudaPlans {
 public:
  explicit CudaPlans(const CudaContext& context) : context_(context) {}

  /// Queues the copy of the plans; where in device memory the kernel that is queued next finds
  /// them. May wait for an earlier copy. REQUIRES: `stream` is always the same
  [[nodiscard]] const PlacedPlan* send(std::span<const PlannedImage> images, CUstream_st* stream);

 private:
  // Copied one batch after the other: more than a training loop is ahead of the device.
  static constexpr std::size_t kPlaces = 8;

  void make_room(std::size_t images);

  const CudaContext& context_;
  std::size_t room_ = 0;   // In plans.
  OwnedCudaMemory there_;  // Of the batch that is being transformed.
  HostBuffer here_;        // Pinned, of the last batches: only then does a copy not wait for them.
  std::array<OwnedCudaEvent, kPlaces> copied_;
  std::size_t place_ = 0;  // Of the next batch.
};

}  // namespace feedrate
