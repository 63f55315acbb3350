// feedrate calibrate: what PyTorch's DataLoader costs on this machine, as a profile for `emulate:`.
#pragma once
#include <filesystem>

#include "bench/commands/sweep.h"
#include "bench/console.h"

namespace feedrate {

struct CalibrateOptions {
  /// A sweep whose samples are measured, too; empty: the loader's own costs only.
  std::filesystem::path config;
  SweepOverrides overrides;
  std::filesystem::path out = "cost-profile.yaml";
  std::size_t repeats = 3;
};

/// Prints the profile to console.out and writes it.
[[nodiscard]] int run_calibrate(const CalibrateOptions& options, Console& console);

}  // namespace feedrate
