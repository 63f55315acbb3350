// SPDX-License-Identifier: Apache-2.0
// feedrate calibrate: measures copies, calls and kernels on this GPU as a preset for `device:
// sim:FILE.yaml`.
#pragma once
#include <filesystem>
#include <string>

#include "core/host/console.h"

namespace feedrate {

struct CalibrateDeviceOptions {
  std::string device = "cuda";
  std::filesystem::path out = "device-preset.yaml";
  bool force = false;       ///< replace `out`
  std::size_t repeats = 9;  ///< per timing
};

/// Prints the preset and further findings to console.out, and writes both to the file.
[[nodiscard]] int run_calibrate_device(const CalibrateDeviceOptions& options, Console& console);

}  // namespace feedrate
