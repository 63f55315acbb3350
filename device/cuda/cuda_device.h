// The real device, by the CUDA runtime. Nothing else includes a CUDA header. In a build without
// CUDA the same functions exist and say so.
#pragma once
#include <memory>
#include <string>

#include "device/device.h"

namespace feedrate {

struct CudaStatus {
  int devices = 0;
  std::string problem;  ///< why `devices` is 0, in plain words; empty otherwise
};

/// Never throws; cheap enough to call at start.
[[nodiscard]] CudaStatus probe_cuda();

/// Throws DeviceError if there is no device `index`. `clock` must be a SteadyClock and outlives it.
[[nodiscard]] std::unique_ptr<Device> make_cuda_device(int index, Clock& clock);

}  // namespace feedrate
