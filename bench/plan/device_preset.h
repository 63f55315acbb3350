// SPDX-License-Identifier: Apache-2.0
// A preset of the simulated device as a file: the result of `feedrate calibrate` on a GPU, for
// `device: sim:FILE.yaml`.
#pragma once
#include <filesystem>
#include <string>

#include "device/simulated/simulated_device.h"

namespace feedrate {

/// YAML, with a comment for each figure.
[[nodiscard]] std::string to_yaml(const SimulatedDeviceSpec& spec);

/// Throws ConfigError naming file, line and key.
[[nodiscard]] SimulatedDeviceSpec parse_device_preset(const std::string& text,
                                                      const std::string& file_name);
[[nodiscard]] SimulatedDeviceSpec load_device_preset(const std::filesystem::path& file);

}  // namespace feedrate
