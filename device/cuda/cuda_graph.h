// SPDX-License-Identifier: Apache-2.0
// A CUDA graph: many kernels in one launch. Needs no CUDA header.
#pragma once
#include <functional>
#include <memory>

#include "device/cuda/context.h"
#include "device/device.h"

namespace feedrate {

/// Implements Device::capture(). The graph refers to `context` and `burn`.
[[nodiscard]] std::unique_ptr<DeviceWork> capture_cuda_graph(
    const CudaContext& context, const std::function<void(DeviceStream&)>& issue);

}  // namespace feedrate
