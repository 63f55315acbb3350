// SPDX-License-Identifier: Apache-2.0
// Streams of the CUDA device. They refer to `context`, which must outlive them. Needs no CUDA
// header.
#pragma once
#include <memory>

#include "device/cuda/context.h"
#include "device/device.h"

namespace feedrate {

/// The legacy default stream: every stream of kind kBlocking is ordered with it.
[[nodiscard]] std::unique_ptr<DeviceStream> make_cuda_default_stream(const CudaContext& context);
[[nodiscard]] std::unique_ptr<DeviceStream> make_cuda_stream(const CudaContext& context,
                                                             StreamKind kind);

/// The cudaStream_t of a stream made by these functions.
[[nodiscard]] CUstream_st* handle_of(const DeviceStream& stream);

}  // namespace feedrate
