// SPDX-License-Identifier: Apache-2.0
// A JpegDecoder that uses nvJPEG. Needs no CUDA header.
#pragma once
#include <memory>

#include "device/cuda/context.h"
#include "device/device.h"

namespace feedrate {

/// The decoder refers to `context`. Throws DeviceError if the library cannot be loaded.
[[nodiscard]] std::unique_ptr<JpegDecoder> open_cuda_jpeg_decoder(const CudaContext& context);

}  // namespace feedrate
