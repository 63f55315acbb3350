// Streams and events of the CUDA device. They refer to their context, which outlives them.
#pragma once
#include <memory>

#include "core/units.h"
#include "device/cuda/context.h"
#include "device/device.h"

namespace feedrate {

/// How many blocks of a burn fill the device.
[[nodiscard]] int count_burn_blocks(const CudaContext& context);

/// The legacy default stream, where every stream of kind kBlocking is ordered with it.
[[nodiscard]] std::unique_ptr<DeviceStream> make_cuda_default_stream(const CudaContext& context,
                                                                     int burn_blocks);
[[nodiscard]] std::unique_ptr<DeviceStream> make_cuda_stream(const CudaContext& context,
                                                             int burn_blocks, StreamKind kind);
[[nodiscard]] std::unique_ptr<DeviceEvent> make_cuda_event(const CudaContext& context);

/// As Device::elapsed().
[[nodiscard]] Nanos elapsed_cuda(const CudaContext& context, const DeviceEvent& from,
                                 const DeviceEvent& to);

}  // namespace feedrate
