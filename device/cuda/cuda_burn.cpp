// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda_burn.h"

#include <algorithm>

#include <cuda_runtime_api.h>

namespace feedrate {
namespace {

// More than twice the largest L2 cache of current GPUs, 126 MB, so that reads reach the memory.
constexpr std::size_t kBytes = std::size_t{256} << 20;
constexpr int kFill = 0x3f;  // Four of them are the float 0.747: small, positive, not zero.

}  // namespace

CudaBurn::CudaBurn(const CudaContext& context) : context_(context) {
  context_.enter();
  context_.check(count_burn_blocks(&blocks_), "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
}

BurnMemory CudaBurn::memory(double intensity) {
  const auto share = static_cast<float>(std::clamp(intensity, 0.0, 1.0));
  if (share == 0.0F) return {};
  const std::lock_guard lock(mutex_);
  if (!memory_) {
    OwnedCudaMemory fresh = allocate_cuda(context_, kBytes);
    context_.check(cudaMemset(fresh.get(), kFill, kBytes), "cudaMemset");
    context_.check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    memory_ = std::move(fresh);
  }
  return {memory_.get(), kBytes, share};
}

}  // namespace feedrate
