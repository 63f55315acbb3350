// SPDX-License-Identifier: Apache-2.0
// One loader at one setting: its part of the step log, and the figures that follow from it. Pure;
// any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "bench/engines/protocol.h"
#include "training/messages.h"
#include "training/step_blocks.h"

namespace feedrate {

struct WatchedLoader;

/// Batches that another loader gave to `steps` steps of a loader.
struct WatchedPart {
  const WatchedLoader* loader = nullptr;  ///< at its latest setting; lives as long as the Watch
  std::size_t steps = 0;
  double loading = 0.0;  ///< seconds, in all
};

enum class StepFate : std::uint8_t {
  kDiscarded,  ///< at the begin of the first epoch or after a switch: takes prefetched batches
  kKept,       ///< the verdict includes it
  kSteady,     ///< kept, and settings are compared by it: not at the begin of an epoch, no pause
};

struct LoggedStep {
  Nanos loading{};
  Nanos training{};  ///< without a pause after it
  std::size_t samples = 0;
  StepFate fate = StepFate::kDiscarded;
};

/// Sums over the steps of a loader. Times are seconds.
struct LoaderTotals {
  std::size_t steps = 0;  ///< all that are over
  std::size_t kept = 0;   ///< those that were not discarded
  /// Time of all steps, without pauses and without the loading of an epoch's first batch.
  double seconds = 0.0;
  StepSums sums;        ///< of kept steps, by whole blocks
  double paused = 0.0;  ///< time that belongs to no step
  /// Costs of `fetched` batches, in workers or without them.
  std::size_t fetched = 0;
  double fetch_wall = 0.0;
  double fetch_cpu = 0.0;
  /// Times of the kept steps that CUDA events timed.
  std::size_t gpu_steps = 0;
  double gpu_idle = 0.0;
  double gpu_busy = 0.0;

  LoaderTotals& operator-=(const LoaderTotals& other);
};

/// Loaders of a script that have a group in common are one loader.
struct WatchedLoader : LoaderTotals {
  std::size_t connection = 0;
  ScriptProcess process;
  ScriptLoader loader;
  std::vector<pid_t> workers;      ///< that load for it now
  bool is_current = true;          ///< it has this setting now
  std::size_t thread = 0;          ///< that iterates it; 0: the main thread
  std::vector<LoggedStep> log;     ///< the latest of its steps
  std::vector<EpochMarks> epochs;  ///< the first one and the latest
  std::size_t resumed = 0;  ///< `steps` when it got this setting last, or went on after a pause
  std::vector<double> epoch_gaps;  ///< seconds from an epoch's end to the next one's begin: latest
  std::size_t batches = 0;         ///< handed out
  StepSums first_batches;  ///< of all epochs: their number, seconds of loading and of their ends
  StartSums first_start;   ///< of the loader's first epoch
  StartSums epoch_starts;  ///< of the others
  StartSums switches;      ///< to this setting
  std::size_t batches_per_step = 1;  ///< next() calls without work between them
  std::vector<WatchedPart> parts;    ///< other loaders that give batches to each of its steps
  ScriptCopies copies;
  LoadingEvidence evidence;  ///< of the processes that loaded at this setting

  void add_fetch(Nanos wall, Nanos cpu);
};

/// The latest steady steps of those with the numbers `from` to `to`, at most 8,192.
[[nodiscard]] std::vector<LoggedStep> steady_steps(
    const WatchedLoader& watched, std::size_t from = 0,
    std::size_t to = std::numeric_limits<std::size_t>::max());
/// `now` as if it had begun at `begin`. Epochs, their starts, parts and copies stay.
[[nodiscard]] WatchedLoader since(const WatchedLoader& now, const LoaderTotals& begin);
/// The sums of since() alone; constant time.
[[nodiscard]] WatchedLoader sums_since(const WatchedLoader& now, const LoaderTotals& begin);

/// Mean seconds per step.
struct StepTimes {
  double loading = 0.0;
  double training = 0.0;

  [[nodiscard]] double step() const { return loading + training; }
  [[nodiscard]] double loading_share() const { return step() > 0.0 ? loading / step() : 0.0; }
};

/// Steps at the begin of an epoch that are not steady: max(W·pf, 5), at most half of it.
[[nodiscard]] std::size_t discarded_steps(const ScriptLoader& loader);
/// The same loader of a process, at whatever settings, or a successor of it.
[[nodiscard]] bool is_one_loader(const ScriptLoader& a, const ScriptLoader& b);
[[nodiscard]] bool is_one_loader(const WatchedLoader& a, const WatchedLoader& b);
/// The settings that may be switched are the same.
[[nodiscard]] bool has_settings_of(const ScriptLoader& a, const ScriptLoader& b);

/// The start method of its workers; "fork" if the script does not say.
[[nodiscard]] std::string start_method(const ScriptLoader& loader);

/// Steps in which each worker brings a batch: num_workers, at least 1.
[[nodiscard]] std::size_t turn_of(const ScriptLoader& loader);
/// Batches in a block of whole steps: a multiple of the turn and of the batches of a step.
[[nodiscard]] std::size_t block_of(const ScriptLoader& loader, std::size_t batches_per_step);
/// Batches that may be ready at a time: num_workers * prefetch_factor.
[[nodiscard]] std::size_t most_outstanding(const ScriptLoader& loader);

/// Means per batch over whole blocks of kept steps; nothing if there is none.
[[nodiscard]] std::optional<StepTimes> step_times(const WatchedLoader& watched);
/// Means per batch over the whole blocks of `steady`, which are steady steps of `watched`.
[[nodiscard]] std::optional<StepTimes> steady_times(const WatchedLoader& watched,
                                                    const std::vector<LoggedStep>& steady);
/// Batches of an epoch, if known.
[[nodiscard]] std::optional<double> epoch_length(const WatchedLoader& watched);
/// Seconds that the begin of an epoch takes beyond steady steps of `step` seconds.
[[nodiscard]] double start_seconds(const WatchedLoader& watched, double step);

/// The loader with the most time, of the first rank, and of its settings the one with the most; of
/// several that give to one step, the slowest. Null without a kept step. `asked`: of those that the
/// script asked to have tuned (ScriptLoader::budget).
[[nodiscard]] const WatchedLoader* main_of(const std::deque<WatchedLoader>& loaders, bool asked);

}  // namespace feedrate
