// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda_event.h"

#include <cuda_runtime_api.h>

namespace feedrate {
namespace {

class CudaEvent final : public DeviceEvent {
 public:
  explicit CudaEvent(const CudaContext& context)
      : context_(context), event_(create_cuda_event(context)) {}

  [[nodiscard]] bool query() const override {
    context_.enter();
    return has_happened(context_, event_.get());
  }
  void synchronize() const override {
    context_.enter();
    wait_for(context_, event_.get());
  }
  [[nodiscard]] cudaEvent_t handle() const noexcept { return event_.get(); }

 private:
  const CudaContext& context_;
  OwnedCudaEvent event_;
};

}  // namespace

// Errors of deleters are ignored: a real failure is sticky, so the next checked call reports it.
void DestroyCudaEvent::operator()(CUevent_st* event) const noexcept { cudaEventDestroy(event); }

OwnedCudaEvent create_cuda_event(const CudaContext& context) {
  context.enter();
  cudaEvent_t event = nullptr;
  context.check(cudaEventCreateWithFlags(&event, cudaEventDefault), "cudaEventCreateWithFlags");
  return OwnedCudaEvent(event);
}

bool has_happened(const CudaContext& context, cudaEvent_t event) {
  const cudaError_t answer = cudaEventQuery(event);
  if (answer == cudaErrorNotReady) {
    cudaGetLastError();  // an answer, not an error
    return false;
  }
  context.check(answer, "cudaEventQuery");
  return true;
}

void wait_for(const CudaContext& context, cudaEvent_t event) {
  context.check(cudaEventSynchronize(event), "cudaEventSynchronize");
}

cudaEvent_t handle_of(const DeviceEvent& event) {
  return static_cast<const CudaEvent&>(event).handle();
}

std::unique_ptr<DeviceEvent> make_cuda_event(const CudaContext& context) {
  return std::make_unique<CudaEvent>(context);
}

Nanos elapsed_cuda(const CudaContext& context, const DeviceEvent& from, const DeviceEvent& to) {
  context.enter();
  float milliseconds = 0;
  const cudaError_t answer = cudaEventElapsedTime(&milliseconds, handle_of(from), handle_of(to));
  // CUDA documents only the time from an earlier event to a later one.
  float back = 0;
  if ((answer != cudaSuccess || milliseconds <= 0) &&
      cudaEventElapsedTime(&back, handle_of(to), handle_of(from)) == cudaSuccess && back > 0) {
    cudaGetLastError();  // an answer, not an error
    return from_seconds(static_cast<double>(back) * -1e-3);
  }
  context.check(answer, answer == cudaErrorInvalidResourceHandle
                            ? "cudaEventElapsedTime (the event is not recorded)"
                            : "cudaEventElapsedTime");
  return from_seconds(static_cast<double>(milliseconds) * 1e-3);
}

}  // namespace feedrate
