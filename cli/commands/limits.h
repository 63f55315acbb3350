// SPDX-License-Identifier: Apache-2.0
// feedrate limits: measures the hardware limits of this machine.
#pragma once
#include <filesystem>
#include <string>

#include "core/host/console.h"

namespace feedrate {

struct LimitsCommandOptions {
  /// A sweep whose dataset is measured, too; empty: none.
  std::filesystem::path config = {};
  /// Folder for temporary files; empty: next to the sweep's dataset, else the working directory.
  std::filesystem::path folder = {};
  std::string only = {};
  double min_time = 0.2;
  bool json = false;
};

/// Prints tables or JSON to console.out. Returns exit code 1 if a limit could not be measured.
[[nodiscard]] int run_limits(const LimitsCommandOptions& options, Console& console);

}  // namespace feedrate
