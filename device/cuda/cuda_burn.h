// SPDX-License-Identifier: Apache-2.0
// Launch size and memory shared by all burns of a CUDA device. Safe from any thread; refers to its
// context. Needs no CUDA header.
#pragma once
#include <mutex>

#include "device/cuda/cuda_memory.h"
#include "device/cuda/kernels.h"

namespace feedrate {

class CudaBurn {
 public:
  explicit CudaBurn(const CudaContext& context);

  /// The number of blocks that fill the device.
  [[nodiscard]] int blocks() const noexcept { return blocks_; }
  /// The first call with a share above 0 allocates. `intensity` is the share of memory traffic, 0
  /// to 1.
  [[nodiscard]] BurnMemory memory(double intensity);

 private:
  const CudaContext& context_;
  int blocks_ = 0;
  std::mutex mutex_;
  OwnedCudaMemory memory_;  // mutex_ guards its allocation.
};

}  // namespace feedrate
