// SPDX-License-Identifier: Apache-2.0
// Measures the cost of PyTorch's DataLoader on this machine as a profile for `emulate:`. One
// thread.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "bench/engines/torch/runtime.h"
#include "bench/plan/config.h"
#include "bench/plan/cost_profile.h"
#include "core/host/console.h"

namespace feedrate {

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

/// A Python that can load the samples of `config`, which may be null. Throws ConfigError.
[[nodiscard]] TorchRuntime find_torch_to_calibrate(const SweepConfig* config,
                                                   const std::stop_token& stop);

/// Measures the loader's own costs unless they are known, and with `config` those of its samples.
/// Throws the engines' errors; Cancelled once a stop is requested. Ends early if other programs use
/// the CPUs.
[[nodiscard]] Calibration calibrate_torch(const SweepConfig* config, const TorchRuntime& runtime,
                                          const CalibrationNeeds& needs, Console& console);

}  // namespace feedrate
