// SPDX-License-Identifier: Apache-2.0
// feedrate calibrate: what PyTorch's DataLoader costs on this machine, as a profile for `emulate:`.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>

#include "bench/engines/torch/runtime.h"
#include "bench/plan/cost_profile.h"
#include "cli/commands/sweep.h"
#include "core/host/console.h"

namespace feedrate {

struct CalibrateOptions {
  /// A sweep whose samples are measured, too; empty: the loader's own costs only.
  std::filesystem::path config;
  SweepOverrides overrides;
  std::filesystem::path out = "cost-profile.yaml";
  bool force = false;  ///< replaces what `out` holds
  std::size_t repeats = 3;
};

/// CPU and CPUs, as profiles name them.
[[nodiscard]] std::string calibrated_machine();

struct Calibration {
  CostProfile profile;
  std::string unsettled;  ///< not empty: why the profile is not to be used
};

/// The loader's own costs where they are known within `seconds`.
using KnownCosts = std::function<std::optional<CostProfile>(double seconds)>;

struct CalibrationNeeds {
  std::size_t repeats = 3;  ///< of each figure at least, more of those that have not settled
  double share = 0.01;      ///< of a batch: what the loader's own costs may be off by
  KnownCosts known = nullptr;
};

/// The loader's own costs, where they are not known, and with `config` those of its samples. Throws
/// what the engines throw; Cancelled once a stop is requested. Ends early where other programs take
/// the CPUs.
[[nodiscard]] Calibration calibrate_torch(const SweepConfig* config, const TorchRuntime& runtime,
                                          const CalibrationNeeds& needs, Console& console);

/// Prints the profile to console.out and writes it; one that has not settled is refused.
[[nodiscard]] int run_calibrate(const CalibrateOptions& options, Console& console);

}  // namespace feedrate
