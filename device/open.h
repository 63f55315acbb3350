// SPDX-License-Identifier: Apache-2.0
// Devices by the name that a user gives.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.h"
#include "device/options.h"

namespace feedrate {

/// "auto": CUDA device 0 where there is one, otherwise the simulated a100-pcie4. "cuda", "cuda:1":
/// that device or a DeviceError that says why not. "sim:h200": that preset. Throws ConfigError for
/// an unknown name, listing the known ones. `clock` outlives the device; CUDA requires SteadyClock.
[[nodiscard]] std::unique_ptr<Device> open_device(std::string_view name, Clock& clock,
                                                  const DeviceOptions& options = {});

/// What it says of itself, without a context on a GPU. Throws as open_device() does.
[[nodiscard]] DeviceInfo device_info(std::string_view name);

/// Lets another process use a GPU that one at a time may use: this process's context on it ends.
/// Nothing happens to a simulated device. REQUIRES: no device of this name is open here
void give_back_device(std::string_view name);

/// What "auto" stands for where no GPU is usable.
inline constexpr std::string_view kFallbackDevice = "sim:a100-pcie4";

/// The name that "auto" stands for on this machine; "cuda" is "cuda:0"; other valid names stay.
/// Throws ConfigError for an unknown name.
[[nodiscard]] std::string resolve_device_name(std::string_view name);

/// "auto", "cuda", "cuda:N", "sim:v100-pcie3", … for messages and --help.
[[nodiscard]] std::vector<std::string> known_devices();

/// Why that device has no such arithmetic; empty if it has, or if there is no such device to ask.
/// REQUIRES: resolve_device_name() takes `name`
[[nodiscard]] std::string why_no_precision(std::string_view name, Precision precision);

/// Why that device decodes no JPEG: on a GPU, why nvJPEG is not found; empty if it does.
/// REQUIRES: resolve_device_name() takes `name`
[[nodiscard]] std::string why_no_jpeg_decoder(std::string_view name);

/// Why there is no usable CUDA device, in plain words; empty if there is one.
[[nodiscard]] std::string why_no_cuda();

}  // namespace feedrate
