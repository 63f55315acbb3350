// SPDX-License-Identifier: Apache-2.0
// What a watched loader's figures say: whether the training waits for it, why, and what there is to
// win. Pure; any thread.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/limits.h"
#include "training/summary_checks.h"
#include "training/watch.h"

namespace feedrate {

/// Kept ones: a verdict on fewer is a guess.
inline constexpr std::size_t kStepsForVerdict = 100;

/// A loader that takes part in the steps of another one.
struct StepPart {
  const WatchedLoader* loader = nullptr;
  double loading = 0.0;  ///< seconds a step
};

struct LoaderVerdict {
  /// Sums over whole steps, divided by their number: what a stopwatch in the loop would say.
  StepTimes times;
  /// next() calls a step, where they come in groups without work between them.
  std::size_t batches_per_step = 1;
  /// Where several loaders give batches to one step: all of them, the slowest first; else empty.
  std::vector<StepPart> parts;
  /// Another thread takes the batches, and trains nothing: what the training waits for is not seen.
  /// Then nothing is claimed: `stall` is 0, `most_to_win()` 1 and `bottleneck` kBalanced.
  bool is_taken_by_a_thread = false;
  /// Epochs are so short, or begin so often, that `times` include their first batches.
  bool has_first_batches = false;
  /// Seconds that belong to no step, and what explains them: another loader, the end of an epoch,
  /// or a gap outside the distribution of the blocks.
  double paused = 0.0;
  /// The share of a step in which the training waits, by the GPU's own idle time where it was
  /// timed: a host that runs ahead hides loading from its clock.
  double stall = 0.0;
  std::optional<double> gpu_idle;  ///< share
  Bottleneck bottleneck = Bottleneck::kBalanced;

  /// What no loader can beat: 1 / (1 - stall) times today's rate.
  [[nodiscard]] double most_to_win() const { return stall < 1.0 ? 1.0 / (1.0 - stall) : 0.0; }
};

/// Nothing where there is no whole turn of steps.
[[nodiscard]] std::optional<LoaderVerdict> judge(const WatchedLoader& watched);

/// What training/summary_checks.h has to know of it.
[[nodiscard]] WaitFacts wait_facts(const LoaderVerdict& verdict);

/// "INPUT-BOUND", "BALANCED", "TRAINING-BOUND", "GPU-BOUND".
[[nodiscard]] const char* bound_name(const LoaderVerdict& verdict);

/// Why the training waits: "the workers compute".
[[nodiscard]] std::string cause_text(const WatchedLoader& watched, const LoaderVerdict& verdict);

/// As cells.csv has it: "GPU", "balanced", "decode CPU", "storage"; empty where nothing that was
/// seen says which.
[[nodiscard]] std::string bottleneck_name(const WatchedLoader& watched,
                                          const LoaderVerdict& verdict);

/// "train.py:42".
[[nodiscard]] std::string site_text(std::string_view site);

/// "DataLoader(ImageFolder, batch_size=64, shuffle=True, num_workers=2)": the arguments that the
/// script gave, then those that feedrate may change.
[[nodiscard]] std::string call_text(const ScriptLoader& loader);

/// "train.py:42 DataLoader(ImageFolder, batch_size=64, num_workers=2)".
[[nodiscard]] std::string loader_text(const ScriptLoader& loader);

/// "loading 61 ms (43 %), training 80 ms, GPU idle 41 %; first batch 3.1 s, between epochs 1.2 s".
[[nodiscard]] std::string times_text(const WatchedLoader& watched, const LoaderVerdict& verdict);

/// What belongs to a step, and what does not: several loaders, first batches, pauses.
[[nodiscard]] std::vector<std::string> scope_lines(const LoaderVerdict& verdict);

/// "INPUT-BOUND: the workers compute; at most 1.77x to win. 8 CPUs are usable; 2 workers."
[[nodiscard]] std::string verdict_text(const WatchedLoader& watched, const LoaderVerdict& verdict,
                                       bool is_before_tuning = false);

}  // namespace feedrate
