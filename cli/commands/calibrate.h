// SPDX-License-Identifier: Apache-2.0
// feedrate calibrate: measures the cost of PyTorch's DataLoader on this machine as a profile for
// `emulate:`.
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
  /// A sweep whose samples are measured, too; empty: only the loader's own costs.
  std::filesystem::path config;
  SweepOverrides overrides;
  std::filesystem::path out = "cost-profile.yaml";
  bool force = false;  ///< replace `out`
  std::size_t repeats = 3;
};

/// The CPU and their number, for profiles.
[[nodiscard]] std::string calibrated_machine();

struct Calibration {
  CostProfile profile;
  std::string unsettled;  ///< why the profile must not be used; empty if it may
};

/// The known costs of the loader, if they are precise within `seconds`.
using KnownCosts = std::function<std::optional<CostProfile>(double seconds)>;

struct CalibrationNeeds {
  std::size_t repeats = 3;  ///< per figure, at least; more if it has not settled
  double share = 0.01;      ///< accepted error of the loader's own costs, as a share of a batch
  KnownCosts known = nullptr;
};

/// Measures the loader's own costs unless they are known, and with `config` those of its samples.
/// Throws the engines' errors; Cancelled once a stop is requested. Ends early if other programs use
/// the CPUs.
[[nodiscard]] Calibration calibrate_torch(const SweepConfig* config, const TorchRuntime& runtime,
                                          const CalibrationNeeds& needs, Console& console);

/// Prints the profile to console.out and writes it; refuses one that has not settled.
[[nodiscard]] int run_calibrate(const CalibrateOptions& options, Console& console);

}  // namespace feedrate
