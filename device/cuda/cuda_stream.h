// SPDX-License-Identifier: Apache-2.0
// Streams of the CUDA device. They refer to their context and its burn, which outlive them. Needs
// no CUDA header.
#pragma once
#include <memory>

#include "device/cuda/context.h"
#include "device/cuda/cuda_burn.h"
#include "device/device.h"

namespace feedrate {

/// The legacy default stream: every stream of kind kBlocking is ordered with it.
[[nodiscard]] std::unique_ptr<DeviceStream> make_cuda_default_stream(const CudaContext& context,
                                                                     CudaBurn& burn);
[[nodiscard]] std::unique_ptr<DeviceStream> make_cuda_stream(const CudaContext& context,
                                                             CudaBurn& burn, StreamKind kind);

/// Of a stream from here: a cudaStream_t.
[[nodiscard]] CUstream_st* handle_of(const DeviceStream& stream);

}  // namespace feedrate
