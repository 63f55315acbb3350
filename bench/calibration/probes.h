// SPDX-License-Identifier: Apache-2.0
// Measures both engines in probes that isolate PyTorch's costs, alternately, so that other load on
// the machine affects both.
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

/// Samples per batch of the probes, and bytes per sample of the two sizes.
inline constexpr std::size_t kProbeBatch = 32;
inline constexpr std::array<std::size_t, 2> kProbeSampleBytes{3 * 32 * 32 * 4, 3 * 128 * 128 * 4};

/// The maximum number of repeats: a figure of three repeats has an interval, and is repeated until
/// that is narrow; with fewer it has none and is taken as it is. Disturbed repeats do not count.
[[nodiscard]] constexpr std::size_t most_repeats(std::size_t wanted) { return wanted + 6; }

struct ProbeOptions {
  std::size_t repeats = 3;          ///< minimum per probe; probes that have not settled get more
  double negligible = kNegligible;  ///< seconds: a figure with a narrower interval has settled
  std::uint64_t seed = 0;
  Nanos timeout = std::chrono::minutes(10);  ///< per start of a loader
  /// Called before each probe with the repeat, from 0, and its name: "1 idle worker".
  std::function<void(std::size_t repeat, const std::string& what)> on_progress;
};

struct ProbeReport {
  ProbeResults results;
  std::vector<std::string> figures;    ///< each with its interval, in words
  std::vector<std::string> unsettled;  ///< figures whose interval is too wide
};

[[nodiscard]] OwnDataset idle_dataset_in_python(const IdleDatasetSpec& spec);

/// Throws the engines' exceptions; DisturbedCalibration if other programs disturb too many starts;
/// Cancelled if a stop is requested.
[[nodiscard]] ProbeReport run_probes(const TorchRuntime& runtime, const ProbeOptions& options,
                                     Clock& clock, const std::stop_token& stop);

}  // namespace feedrate
