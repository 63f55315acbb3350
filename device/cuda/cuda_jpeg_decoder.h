// SPDX-License-Identifier: Apache-2.0
// JPEG files decoded by nvJPEG. Needs no CUDA header.
#pragma once
#include <memory>

#include "device/cuda/context.h"
#include "device/device.h"

namespace feedrate {

/// Refers to its context. Throws DeviceError if the library is not there.
[[nodiscard]] std::unique_ptr<JpegDecoder> open_cuda_jpeg_decoder(const CudaContext& context);

}  // namespace feedrate
