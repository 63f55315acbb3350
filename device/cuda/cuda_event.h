// SPDX-License-Identifier: Apache-2.0
// Events of the CUDA device. A cudaEvent_t is a
// CUevent_st*, so this header needs no CUDA header. Safe from any thread; events refer to their
// context.
#pragma once
#include <memory>

#include "device/cuda/context.h"
#include "device/device.h"

struct CUevent_st;

namespace feedrate {

struct DestroyCudaEvent {
  void operator()(CUevent_st* event) const noexcept;
};
using OwnedCudaEvent = std::unique_ptr<CUevent_st, DestroyCudaEvent>;

[[nodiscard]] OwnedCudaEvent create_cuda_event(const CudaContext& context);

/// REQUIRES: context.enter() on this thread
[[nodiscard]] bool has_happened(const CudaContext& context, CUevent_st* event);

/// REQUIRES: context.enter() on this thread
void wait_for(const CudaContext& context, CUevent_st* event);

[[nodiscard]] std::unique_ptr<DeviceEvent> make_cuda_event(const CudaContext& context);
/// The handle of an event made by make_cuda_event().
[[nodiscard]] CUevent_st* handle_of(const DeviceEvent& event);

[[nodiscard]] Nanos elapsed_cuda(const CudaContext& context, const DeviceEvent& from,
                                 const DeviceEvent& to);

}  // namespace feedrate
