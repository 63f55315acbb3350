// The CUDA device of a build without CUDA: it says so.
#include <fmt/format.h>

#include "core/error.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/cuda_status.h"

namespace feedrate {

CudaStatus probe_cuda() { return {.devices = 0, .problem = describe_build_without_cuda()}; }

std::unique_ptr<Device> make_cuda_device(int index, Clock& /*clock*/) {
  throw DeviceError(fmt::format("cuda:{}: {}", index, describe_build_without_cuda()));
}

}  // namespace feedrate
