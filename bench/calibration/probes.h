// SPDX-License-Identifier: Apache-2.0
// Measures both engines at the places where PyTorch costs something, one after the other, so that
// other load on the machine affects both.
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/calibration/fit.h"
#include "bench/calibration/idle_dataset.h"
#include "bench/calibration/settled.h"
#include "bench/engines/torch/runtime.h"
#include "bench/plan/cell_spec.h"
#include "bench/plan/config.h"

namespace feedrate {

/// Samples of a batch of the probes, and the bytes of a sample of the smaller and the larger one.
inline constexpr std::size_t kProbeBatch = 32;
inline constexpr std::array<std::size_t, 2> kProbeSampleBytes{3 * 32 * 32 * 4, 3 * 128 * 128 * 4};

/// How often at most: a figure of three repeats has an interval, and is repeated until that is
/// narrow; of fewer it has none, and is taken as it is. Those that stay disturbed count for
/// nothing.
[[nodiscard]] constexpr std::size_t most_repeats(std::size_t wanted) { return wanted + 6; }

struct ProbeOptions {
  std::size_t repeats = 3;          ///< of each probe at least, more of those that have not settled
  double negligible = kNegligible;  ///< seconds: a figure that is known so well has settled
  std::uint64_t seed = 0;
  Nanos timeout = std::chrono::minutes(10);  ///< of one start of a loader
  /// Called before each probe with the repeat, from 0, and its name: "1 idle worker".
  std::function<void(std::size_t repeat, const std::string& what)> on_progress;
};

struct ProbeReport {
  ProbeResults results;
  std::vector<std::string> figures;    ///< each with its interval, in words
  std::vector<std::string> unsettled;  ///< those of them that have an interval, and too wide a one
};

/// What the probe of the loader itself needs of Python.
[[nodiscard]] OwnDataset idle_dataset_in_python(const IdleDatasetSpec& spec);

/// Throws what the engines throw; DisturbedCalibration where other programs do not let the machine
/// alone; Cancelled once a stop is requested.
[[nodiscard]] ProbeReport run_probes(const TorchRuntime& runtime, const ProbeOptions& options,
                                     Clock& clock, const std::stop_token& stop);

}  // namespace feedrate
