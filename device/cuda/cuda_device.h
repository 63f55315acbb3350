// SPDX-License-Identifier: Apache-2.0
// The real device, by the CUDA runtime. Nothing else includes a CUDA header. In a build without
// CUDA the same functions exist and say so.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "device/device.h"
#include "device/options.h"

namespace feedrate {

struct CudaStatus {
  int devices = 0;
  std::string problem;  ///< why `devices` is 0, in plain words; empty otherwise
};

/// Never throws; cheap enough to call at start.
[[nodiscard]] CudaStatus probe_cuda();

struct ComputeCapability {
  int major = 0;
  int minor = 0;
};

/// Of device `index`; nothing where there is none. Never throws, and opens no context.
[[nodiscard]] std::optional<ComputeCapability> cuda_compute_capability(int index);

/// Opens no context, as a process that leaves the device to others must not: in exclusive compute
/// mode there is one. Throws DeviceError if there is no device `index`.
[[nodiscard]] DeviceInfo cuda_device_info(int index);

/// Throws DeviceError if there is no device `index`. `clock` must be a SteadyClock and outlives it.
[[nodiscard]] std::unique_ptr<Device> make_cuda_device(int index, Clock& clock,
                                                       const DeviceOptions& options = {});

/// This process's own; the next device opens another. Throws DeviceError if there is no device
/// `index`. REQUIRES: no such device is open
void end_cuda_context(int index);

}  // namespace feedrate
