// SPDX-License-Identifier: Apache-2.0
// Matrix products on the CUDA device, by cuBLASLt. Needs no CUDA header.
#pragma once
#include <memory>
#include <mutex>
#include <span>

#include "device/cuda/context.h"
#include "device/work.h"

namespace feedrate {

/// Loads the library when it is first asked for. Any thread; refers to its context.
class CudaGemmMaker {
 public:
  explicit CudaGemmMaker(const CudaContext& context);
  ~CudaGemmMaker();
  CudaGemmMaker(const CudaGemmMaker&) = delete;
  CudaGemmMaker& operator=(const CudaGemmMaker&) = delete;

  /// As Device::prepare_gemms(). All products work in the same three matrices, as large as the
  /// largest needs. What is returned outlives this, but not the context.
  [[nodiscard]] std::unique_ptr<DeviceWork> prepare(std::span<const Gemm> gemms,
                                                    Precision precision);

 private:
  class Session;
  const CudaContext& context_;
  std::mutex mutex_;
  std::shared_ptr<const Session> session_;  // Shared with the works, which may be the last to go.
};

}  // namespace feedrate
