// SPDX-License-Identifier: Apache-2.0
// The real device, driven by the CUDA runtime. Only sources in this folder include a CUDA header.
// In a build without CUDA, the same functions report that CUDA is missing.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "device/device.h"

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

/// Returns nothing if there is no device `index`. Never throws, and opens no context.
[[nodiscard]] std::optional<ComputeCapability> cuda_compute_capability(int index);

/// Opens no context, so that a process may call it for a device that others use: exclusive compute
/// mode allows one context only. Throws DeviceError if there is no device `index`.
[[nodiscard]] DeviceInfo cuda_device_info(int index);

/// Throws DeviceError if there is no device `index`. `clock` must be a SteadyClock and outlive the
/// device.
[[nodiscard]] std::unique_ptr<Device> make_cuda_device(int index, Clock& clock);

/// Destroys this process's context; the next device creates another. Throws DeviceError if there is
/// no device `index`. REQUIRES: no device `index` is open
void end_cuda_context(int index);

}  // namespace feedrate
