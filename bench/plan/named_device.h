// SPDX-License-Identifier: Apache-2.0
// Devices by the user's name: those of device/open.h, and simulated ones with a preset file of
// `feedrate calibrate`, "sim:mine.yaml". Any thread.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "core/host/slurm.h"
#include "device/device.h"
#include "device/open.h"

namespace feedrate {

/// The device of a user's step that needs no GPU. Nothing opens it.
inline constexpr std::string_view kCpuDevice = "cpu";

/// Like resolve_device_name(), or kCpuDevice. Throws ConfigError if a preset file cannot be read,
/// and for "auto" in a batch job (Slurm, PBS, LSF) without a usable GPU: its user has waited for
/// the job, and can name the simulated device.
[[nodiscard]] std::string resolve_named_device(
    std::string_view name, const EnvironmentLookup& lookup = environment_variable);

/// Like device_info().
[[nodiscard]] DeviceInfo named_device_info(std::string_view name);

/// Like open_device().
[[nodiscard]] std::unique_ptr<Device> open_named_device(std::string_view name, Clock& clock);

/// Like why_no_precision().
[[nodiscard]] std::string why_no_precision_on(std::string_view name, Precision precision);

/// Like why_no_jpeg_decoder().
[[nodiscard]] std::string why_no_jpeg_decoder_on(std::string_view name);

}  // namespace feedrate
