// SPDX-License-Identifier: Apache-2.0
// The verdict on the wait of a training: how long each step waits for the loader, the cause, and
// the most that a faster loader can win. Pure; any thread.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/limits.h"
#include "training/summary_checks.h"
#include "training/watched_loader.h"

namespace feedrate {

/// Kept steps: a verdict on fewer is a guess.
inline constexpr std::size_t kStepsForVerdict = 100;

/// A loader that takes part in the steps of another one.
struct StepPart {
  const WatchedLoader* loader = nullptr;
  double loading = 0.0;  ///< seconds per step
};

/// If another thread takes the batches and trains nothing, the wait is not seen: `stall` is 0.
/// `stall` is the idle time of the GPU if CUDA events timed it: a host that runs ahead hides
/// loading from its clock.
struct WaitVerdict : WaitFacts {
  StepTimes times;                   ///< means over whole steps, as of a stopwatch in the loop
  std::size_t batches_per_step = 1;  ///< next() calls without work between them
  std::vector<StepPart> parts;       ///< all loaders of one step, slowest first; empty: only one
  bool has_first_batches = false;    ///< they are a notable share of `times`: epochs are short
  double paused = 0.0;  ///< seconds of other loaders, ends of epochs and outliers among the gaps
  std::optional<double> gpu_idle;  ///< share

  /// The factor of the rate that no loader can beat.
  [[nodiscard]] double most_to_win() const { return stall < 1.0 ? 1.0 / (1.0 - stall) : 0.0; }
};

/// Nothing without a whole block of steps. Constant time.
[[nodiscard]] std::optional<WaitVerdict> judge(const WatchedLoader& watched);

/// The cause of the wait: "the workers compute".
[[nodiscard]] std::string cause_text(const WatchedLoader& watched, const WaitVerdict& verdict);

/// The value in cells.csv: "GPU", "balanced", "decode CPU", "storage"; empty if the cause was not
/// seen.
[[nodiscard]] std::string bottleneck_name(const WatchedLoader& watched, const WaitVerdict& verdict);

/// "train.py:42".
[[nodiscard]] std::string site_text(std::string_view site);

/// "train.py:42 DataLoader(ImageFolder, batch_size=64, shuffle=True, num_workers=2)": the arguments
/// that the script gave, then those that feedrate may change.
[[nodiscard]] std::string loader_text(const ScriptLoader& loader);

/// "loading 61 ms (43 %), training 80 ms, GPU idle 41 %; first batch 3.1 s, between epochs 1.2 s".
[[nodiscard]] std::string times_text(const WatchedLoader& watched, const WaitVerdict& verdict);

/// The extent of a step: several loaders, first batches, pauses.
[[nodiscard]] std::vector<std::string> scope_lines(const WaitVerdict& verdict);

/// "INPUT-BOUND: the workers compute; at most 1.77x to win. 8 CPUs are usable; 2 workers."
[[nodiscard]] std::string verdict_text(const WatchedLoader& watched, const WaitVerdict& verdict,
                                       bool is_before_tuning = false);

}  // namespace feedrate
