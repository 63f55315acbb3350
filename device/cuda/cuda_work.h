// SPDX-License-Identifier: Apache-2.0
// Prepared kernels of the CUDA device. Needs no CUDA header.
#pragma once
#include "device/work.h"

struct CUstream_st;

namespace feedrate {

/// May run on one stream at a time.
class CudaWork : public DeviceWork {
 public:
  /// Queues the work on `stream`. REQUIRES: context.enter() on this thread
  virtual void launch(CUstream_st* stream) const = 0;
};

}  // namespace feedrate
