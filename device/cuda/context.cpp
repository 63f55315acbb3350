#include "device/cuda/context.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {

CudaContext::CudaContext(int index) : index_(index), name_(fmt::format("cuda:{}", index)) {}

void CudaContext::enter() const { check(cudaSetDevice(index_), "cudaSetDevice"); }

void CudaContext::check(int error, std::string_view call) const {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // the runtime would report it again at the next call
  const auto code = static_cast<cudaError_t>(error);
  throw DeviceError(
      fmt::format("{}: {}: {}: {}", name_, call, cudaGetErrorName(code), cudaGetErrorString(code)));
}

}  // namespace feedrate
