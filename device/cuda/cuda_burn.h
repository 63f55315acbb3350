// SPDX-License-Identifier: Apache-2.0
// What all burns of a CUDA device share. Any thread; refers to its context. Needs no CUDA header.
#pragma once
#include <mutex>

#include "device/cuda/cuda_memory.h"
#include "device/cuda/kernels.h"

namespace feedrate {

class CudaBurn {
 public:
  explicit CudaBurn(const CudaContext& context);

  /// How many blocks fill the device.
  [[nodiscard]] int blocks() const noexcept { return blocks_; }
  /// For this share of memory traffic, 0 to 1; the first above 0 allocates.
  [[nodiscard]] BurnMemory memory(double intensity);

 private:
  const CudaContext& context_;
  int blocks_ = 0;
  std::mutex mutex_;
  OwnedCudaMemory memory_;  // Guarded by mutex_ until it is there.
};

}  // namespace feedrate
