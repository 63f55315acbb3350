// SPDX-License-Identifier: Apache-2.0
// Prepared kernels of the CUDA device. Needs no CUDA header.
#pragma once
#include "device/work.h"

struct CUstream_st;

namespace feedrate {

/// One stream at a time.
class CudaWork : public DeviceWork {
 public:
  /// Returns once queued. REQUIRES: the context was entered on this thread
  virtual void launch(CUstream_st* stream) const = 0;
};

}  // namespace feedrate
