// SPDX-License-Identifier: Apache-2.0
// Replaces the CUDA device in a build without CUDA: every function reports that.
#include <fmt/format.h>

#include "core/error.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/cuda_status.h"

namespace feedrate {

CudaStatus probe_cuda() { return {.devices = 0, .problem = describe_build_without_cuda()}; }

std::optional<ComputeCapability> cuda_compute_capability(int /*index*/) { return std::nullopt; }

DeviceInfo cuda_device_info(int index) {
  throw DeviceError(fmt::format("cuda:{}: {}", index, describe_build_without_cuda()));
}

std::unique_ptr<Device> make_cuda_device(int index, Clock& /*clock*/) {
  throw DeviceError(fmt::format("cuda:{}: {}", index, describe_build_without_cuda()));
}

void end_cuda_context(int index) {
  throw DeviceError(fmt::format("cuda:{}: {}", index, describe_build_without_cuda()));
}

}  // namespace feedrate
