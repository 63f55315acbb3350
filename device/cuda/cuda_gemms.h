// SPDX-License-Identifier: Apache-2.0
// Matrix products on the CUDA device by cuBLASLt. Needs no CUDA header.
#pragma once
#include <memory>
#include <mutex>
#include <span>

#include "device/cuda/context.h"
#include "device/work.h"

namespace feedrate {

/// The first prepare() loads the library. Safe from any thread; refers to its context.
class CudaGemmMaker {
 public:
  explicit CudaGemmMaker(const CudaContext& context);
  ~CudaGemmMaker();
  CudaGemmMaker(const CudaGemmMaker&) = delete;
  CudaGemmMaker& operator=(const CudaGemmMaker&) = delete;

  /// Implements Device::prepare_gemms(). All products share three matrices, each as large as the
  /// largest product needs. The result may outlive this object, but not the context.
  [[nodiscard]] std::unique_ptr<DeviceWork> prepare(std::span<const Gemm> gemms,
                                                    Precision precision);

 private:
  class Session;
  const CudaContext& context_;
  std::mutex mutex_;
  std::shared_ptr<const Session> session_;  // Prepared work may outlive this object.
};

}  // namespace feedrate
