// SPDX-License-Identifier: Apache-2.0
// `engine: auto`: chooses the engine of a sweep that does not name one. One thread.
#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/engines/torch/runtime.h"
#include "bench/plan/config.h"

namespace feedrate {

/// PyTorch's DataLoader, or why it is not used.
struct FoundTorch {
  std::optional<TorchRuntime> runtime = {};
  std::size_t cells = 0;  ///< number of cells that it can measure
  std::string problem = {};
};

/// Looks for a Python that can measure the cells of `config` in `only` and all their formats. Takes
/// as long as importing torch. Throws Cancelled.
[[nodiscard]] FoundTorch find_torch_for(const SweepConfig& config, const std::vector<Axis>& only,
                                        const std::stop_token& stop);

/// Sets `engine` if the sweep does not name it: to torch if PyTorch's DataLoader can measure every
/// cell that the native loader can, else to native. Returns the reason as a clause; empty if the
/// sweep names its engine. Throws Cancelled.
std::string choose_engine(SweepConfig& config, const std::vector<Axis>& only,
                          const std::stop_token& stop);

/// Whether a cell emulates a cost profile.
[[nodiscard]] bool names_profile(const SweepConfig& config);

/// The first value of `engine`.
[[nodiscard]] std::string engine_of(const SweepConfig& config);

}  // namespace feedrate
