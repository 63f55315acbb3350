// SPDX-License-Identifier: Apache-2.0
// Copies the plans of images to the device, for one stream. One thread at a time. Needs no CUDA
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

class CudaPlans {
 public:
  explicit CudaPlans(const CudaContext& context) : context_(context) {}

  /// Queues the copy of the plans and returns their device address for the kernel that is queued
  /// next. May wait for an earlier copy. REQUIRES: `stream` is always the same
  [[nodiscard]] const PlacedPlan* send(std::span<const PlannedImage> images, CUstream_st* stream);

 private:
  // Batches with pending copies: more than a training loop is ahead of the device.
  static constexpr std::size_t kSlots = 8;

  void reserve(std::size_t images);

  const CudaContext& context_;
  std::size_t capacity_ = 0;  // plans per batch
  OwnedCudaMemory device_plans_;
  HostBuffer host_plans_;  // Pinned, so that a copy does not wait for earlier ones; kSlots batches.
  std::array<OwnedCudaEvent, kSlots> copied_;
  std::size_t slot_ = 0;
};

}  // namespace feedrate
