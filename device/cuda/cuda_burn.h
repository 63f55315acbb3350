// SPDX-License-Identifier: Apache-2.0
// The launch size and the memory that all burns of a CUDA device share. Safe from any thread;
// refers to its context. Needs no CUDA header.
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
  /// The buffer for a share of memory traffic from 0 to 1. The first call with a share above 0
  /// allocates it.
  [[nodiscard]] BurnMemory memory(double intensity);

 private:
  const CudaContext& context_;
  int blocks_ = 0;
  std::mutex mutex_;
  OwnedCudaMemory memory_;  // mutex_ guards its allocation.
};

}  // namespace feedrate
