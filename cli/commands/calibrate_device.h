// SPDX-License-Identifier: Apache-2.0
// feedrate calibrate: what copies, calls and kernels cost on this GPU, as a preset for `device:
// sim:FILE.yaml`.
#pragma once
#include <filesystem>
#include <string>

#include "core/host/console.h"

namespace feedrate {

struct CalibrateDeviceOptions {
  std::string device = "cuda";
  std::filesystem::path out = "device-preset.yaml";
  bool force = false;       ///< replaces what `out` holds
  std::size_t repeats = 9;  ///< of each timing
};

/// Prints the preset and what else was found to console.out, and writes both into the file.
[[nodiscard]] int run_calibrate_device(const CalibrateDeviceOptions& options, Console& console);

}  // namespace feedrate
