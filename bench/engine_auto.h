// SPDX-License-Identifier: Apache-2.0
// `engine: auto`: whose loader measures a sweep that does not name its engine. One thread.
#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/engines/torch/runtime.h"
#include "bench/plan/config.h"

namespace feedrate {

/// PyTorch's DataLoader, or the reason why it does not measure.
struct FoundTorch {
  std::optional<TorchRuntime> runtime = {};
  std::size_t cells = 0;  ///< of the sweep that it can measure
  std::string problem = {};
};

/// Looks for a Python that can measure the cells of `config` that are in `only`, and all formats
/// that they name. Takes the time of importing torch. Throws Cancelled.
[[nodiscard]] FoundTorch find_torch_for(const SweepConfig& config, const std::vector<Axis>& only,
                                        const std::stop_token& stop);

/// Sets `engine` of a sweep that does not name it: to torch where PyTorch's DataLoader can measure
/// each cell that feedrate's own loader can, else to native. Returns why, a clause for a person;
/// empty where the sweep names its engine. Throws Cancelled.
std::string choose_engine(SweepConfig& config, const std::vector<Axis>& only,
                          const std::stop_token& stop);

/// Whether cells emulate the costs of a profile.
[[nodiscard]] bool names_profile(const SweepConfig& config);

/// The first value of `engine`.
[[nodiscard]] std::string engine_of(const SweepConfig& config);

}  // namespace feedrate
