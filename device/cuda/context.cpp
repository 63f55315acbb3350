// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/context.h"

#include <array>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "device/cuda/cuda_status.h"
#include "device/lost.h"

namespace feedrate {

CudaContext::CudaContext(int index) : index_(index), name_(fmt::format("cuda:{}", index)) {}

void CudaContext::enter() const { check(cudaSetDevice(index_), "cudaSetDevice"); }

std::string CudaContext::pci_bus_id() const {
  std::array<char, 32> id{};
  check(cudaDeviceGetPCIBusId(id.data(), static_cast<int>(id.size()), index_),
        "cudaDeviceGetPCIBusId");
  return id.data();
}

void CudaContext::check(int error, std::string_view call) const {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // the runtime would report it again at the next call
  const auto code = static_cast<cudaError_t>(error);
  const std::string what = describe_cuda_failure(name_, call,
                                                 {.error = error,
                                                  .error_name = cudaGetErrorName(code),
                                                  .error_text = cudaGetErrorString(code)});
  if (is_device_lost(error)) throw DeviceLostToProcess(what);
  throw DeviceError(what);
}

}  // namespace feedrate
