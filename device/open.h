// SPDX-License-Identifier: Apache-2.0
// Opens and describes devices by the name that a user gives.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.h"

namespace feedrate {

/// "auto" is CUDA device 0 if there is one, otherwise the simulated a100-pcie4. "cuda" and "cuda:1"
/// are that device, or a DeviceError that says why it cannot be used. "sim:h200" is that preset.
/// Throws ConfigError for an unknown name, listing the known ones. `clock` must outlive the device;
/// CUDA requires SteadyClock.
[[nodiscard]] std::unique_ptr<Device> open_device(std::string_view name, Clock& clock);

/// Device::info() without opening a context on a GPU. Throws as open_device() does.
[[nodiscard]] DeviceInfo device_info(std::string_view name);

/// Destroys this process's context on a GPU, so that another process can use a GPU in exclusive
/// mode. Does nothing for a simulated device. REQUIRES: no device of this name is open in this
/// process
void release_device(std::string_view name);

/// The device that "auto" selects if no GPU is usable.
inline constexpr std::string_view kFallbackDevice = "sim:a100-pcie4";

/// Replaces "auto" by the name of a device on this machine and "cuda" by "cuda:0"; other valid
/// names are returned unchanged. Throws ConfigError for an unknown name.
[[nodiscard]] std::string resolve_device_name(std::string_view name);

/// The names for messages and --help: "auto", "cuda", "cuda:N", "sim:v100-pcie3", …
[[nodiscard]] std::vector<std::string> known_devices();

/// Why the device lacks the precision; empty if it has it, or if no such device exists.
/// REQUIRES: resolve_device_name() accepts `name`
[[nodiscard]] std::string why_no_precision(std::string_view name, Precision precision);

/// Why the device cannot decode JPEG (on a GPU, why nvJPEG is not found); empty if it can.
/// REQUIRES: resolve_device_name() accepts `name`
[[nodiscard]] std::string why_no_jpeg_decoder(std::string_view name);

[[nodiscard]] std::string why_no_cuda();

}  // namespace feedrate
