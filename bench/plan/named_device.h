// SPDX-License-Identifier: Apache-2.0
// Devices by the name that a user gives: those of device/open.h, and simulated ones whose preset is
// a file that `feedrate calibrate` wrote, "sim:mine.yaml". Any thread.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "core/host/slurm.h"
#include "device/device.h"
#include "device/open.h"

namespace feedrate {

/// Where a step of the user's own needs no GPU. Nothing opens it.
inline constexpr std::string_view kCpuDevice = "cpu";

/// As resolve_device_name(), or kCpuDevice. Throws ConfigError for a preset file that cannot be
/// read, and for "auto" in a batch job (Slurm, PBS, LSF) without a usable GPU: its user has waited
/// for the job, and may name the simulated device.
[[nodiscard]] std::string resolve_named_device(
    std::string_view name, const EnvironmentLookup& lookup = environment_variable);

/// As device_info().
[[nodiscard]] DeviceInfo named_device_info(std::string_view name);

/// As open_device().
[[nodiscard]] std::unique_ptr<Device> open_named_device(std::string_view name, Clock& clock);

/// As why_no_precision().
[[nodiscard]] std::string why_no_precision_on(std::string_view name, Precision precision);

/// As why_no_jpeg_decoder().
[[nodiscard]] std::string why_no_jpeg_decoder_on(std::string_view name);

}  // namespace feedrate
