// SPDX-License-Identifier: Apache-2.0
// feedrate tune: finds the best settings by few measurements, with a confidence.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "analysis/tuner/candidate.h"
#include "cli/commands/sweep.h"
#include "core/host/console.h"

namespace feedrate {

enum class TuneEngine {
  kAuto,    ///< explore natively with PyTorch's costs, verify with PyTorch's DataLoader
  kNative,  ///< feedrate's own loader only
  kTorch,   ///< PyTorch's DataLoader only
};

struct TuneOptions {
  std::filesystem::path config;
  SweepOverrides overrides;
  double budget_seconds = 300.0;
  Objective objective = Objective::kTime;
  std::optional<double> max_host_mem;  ///< bytes
  double confidence = 0.95;
  double tolerance = 0.02;
  TuneEngine engine = TuneEngine::kAuto;
  std::string present;        ///< "num_workers=4,pin_memory=true"; empty: PyTorch's defaults
  std::filesystem::path out;  ///< empty: feedrate-results/<config>-tune-<time>
  bool force = false;         ///< replace `out`
  bool json = false;          ///< print recommendation.json to console.out, and text to console.err
  std::string command_line;
};

/// Measures within the budget, prints the recommendation to console.out and keeps all measurements
/// in the results folder. Reuses measurements of an earlier tune of the same configuration there,
/// unless they are to be replaced; refuses other results. If PyTorch is available, the recommended
/// settings and their rates are those of its DataLoader (bench/tune_loader.h).
[[nodiscard]] int run_tune(const TuneOptions& options, Console& console);

/// Predicts other settings for a training that `feedrate run` has watched, by the replay; measures
/// nothing. `run` is a results folder. Throws ConfigError if it has no watched training.
[[nodiscard]] int tune_watched_run(const std::filesystem::path& run, bool json, Console& console);

struct ModelCheckOptions {
  std::filesystem::path run;
  double cores = 0.0;  ///< of the recorded machine; 0: of this one
};

/// Prints how well the model of `tune` predicts the cells of a recorded run.
[[nodiscard]] int run_model_check(const ModelCheckOptions& options, Console& console);

}  // namespace feedrate
