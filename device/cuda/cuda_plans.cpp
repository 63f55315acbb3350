// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda_plans.h"

#include <optional>
#include <utility>

#include <cuda_runtime_api.h>

namespace feedrate {

const PlacedPlan* CudaPlans::send(std::span<const PlannedImage> images, CUstream_st* stream) {
  make_room(images.size());
  auto* const there = reinterpret_cast<PlacedPlan*>(there_.get());
  if (images.empty()) return there;
  auto* const here = reinterpret_cast<PlacedPlan*>(here_.bytes().data()) + place_ * room_;
  const cudaEvent_t copied = copied_[place_].get();
  place_ = (place_ + 1) % kPlaces;
  wait_for(context_, copied);
  for (std::size_t i = 0; i < images.size(); ++i) here[i] = {images[i].offset, images[i].plan};
  context_.check(cudaMemcpyAsync(there, here, images.size() * sizeof(PlacedPlan),
                                 cudaMemcpyHostToDevice, stream),
                 "cudaMemcpyAsync");
  context_.check(cudaEventRecord(copied, stream), "cudaEventRecord");
  return there;
}

// Rarely, since batches are of one size. What was there is freed when the device is done with it.
void CudaPlans::make_room(std::size_t images) {
  if (images <= room_) return;
  OwnedCudaMemory there = allocate_cuda(context_, images * sizeof(PlacedPlan));
  HostBuffer here =
      allocate_cuda_pinned(context_, kPlaces * images * sizeof(PlacedPlan), std::nullopt, [] {});
  here_ = std::move(here);
  there_ = std::move(there);
  for (OwnedCudaEvent& copied : copied_) copied = create_cuda_event(context_);
  room_ = images;
}

}  // namespace feedrate
