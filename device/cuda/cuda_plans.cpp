// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda_plans.h"

#include <optional>
#include <utility>

#include <cuda_runtime_api.h>

namespace feedrate {

const PlacedPlan* CudaPlans::send(std::span<const PlannedImage> images, CUstream_st* stream) {
  reserve(images.size());
  auto* const device_plans = reinterpret_cast<PlacedPlan*>(device_plans_.get());
  if (images.empty()) return device_plans;
  auto* const host_plans =
      reinterpret_cast<PlacedPlan*>(host_plans_.bytes().data()) + slot_ * capacity_;
  const cudaEvent_t copied = copied_[slot_].get();
  slot_ = (slot_ + 1) % kSlots;
  wait_for(context_, copied);
  for (std::size_t i = 0; i < images.size(); ++i)
    host_plans[i] = {images[i].offset, images[i].plan};
  context_.check(cudaMemcpyAsync(device_plans, host_plans, images.size() * sizeof(PlacedPlan),
                                 cudaMemcpyHostToDevice, stream),
                 "cudaMemcpyAsync");
  context_.check(cudaEventRecord(copied, stream), "cudaEventRecord");
  return device_plans;
}

// Freeing the old buffers waits for the device. Rare: all batches but the last have one size.
void CudaPlans::reserve(std::size_t images) {
  if (images <= capacity_) return;
  OwnedCudaMemory device_plans = allocate_cuda(context_, images * sizeof(PlacedPlan));
  HostBuffer host_plans =
      allocate_cuda_pinned(context_, kSlots * images * sizeof(PlacedPlan), std::nullopt, [] {});
  host_plans_ = std::move(host_plans);
  device_plans_ = std::move(device_plans);
  for (OwnedCudaEvent& copied : copied_) copied = create_cuda_event(context_);
  capacity_ = images;
}

}  // namespace feedrate
