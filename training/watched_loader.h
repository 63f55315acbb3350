// SPDX-License-Identifier: Apache-2.0
// What is known of one loader at one setting, and what follows from it. Steady steps are those that
// a setting is compared by: none at the begin of any epoch, nor after a pause. Pure; any thread.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

#include "bench/engines/protocol.h"
#include "training/messages.h"
#include "training/step_log.h"

namespace feedrate {

struct WatchedLoader;

/// What another loader gave to the steps of a loader: seconds over `steps` of them.
struct WatchedPart {
  const WatchedLoader* loader = nullptr;  ///< at its latest setting; lives as long as the Watch
  std::size_t steps = 0;
  double loading = 0.0;
};

/// What is added up of the steps of a loader.
struct LoaderTotals {
  std::size_t steps = 0;  ///< whose end is known, the discarded ones too
  /// Of all of them, without pauses and without the loading of an epoch's first one.
  double seconds = 0.0;
  StepSums sums;        ///< of what is kept, by whole blocks
  double paused = 0.0;  ///< seconds that belong to no step
  /// What batches cost, in workers or without them: sums over `fetched` of them.
  std::size_t fetched = 0;
  double fetch_wall = 0.0;
  double fetch_cpu = 0.0;
  /// Of steps that CUDA events timed: seconds.
  std::size_t gpu_steps = 0;
  double gpu_idle = 0.0;
  double gpu_busy = 0.0;

  LoaderTotals& operator-=(const LoaderTotals& other);
};

/// One loader at one setting. Loaders of a script that have a group in common are one loader.
struct WatchedLoader : LoaderTotals {
  std::size_t connection = 0;
  ScriptProcess process;
  ScriptLoader loader;
  std::vector<pid_t> workers;  ///< that load for it now
  bool is_current = true;      ///< it has this setting now
  std::size_t thread = 0;      ///< that iterates it; 0: the main thread
  /// `kept`: the steps that the verdict is on, on a time of their own, on which one follows the
  /// other. `epochs`: the first one and the latest.
  Measurement measurement;
  std::vector<StepMarks> steady;  ///< the latest steady steps, on such a time, too
  std::size_t forgotten = 0;      ///< steady steps before those of `steady`
  /// Steady steps, forgotten ones too, when it got this setting last or went on after a pause.
  std::size_t resumed = 0;
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
};

/// How far a loader has come, to tell later what has happened since.
struct StepsSoFar : LoaderTotals {
  std::size_t steady = 0;
};

[[nodiscard]] StepsSoFar steps_so_far(const WatchedLoader& watched);
/// The steady steps since then, which `now` holds.
[[nodiscard]] std::span<const StepMarks> steady_since(const WatchedLoader& now,
                                                      const StepsSoFar& begin);
/// `now` as if it had begun at `begin`. Epochs, their starts, parts and copies stay.
[[nodiscard]] WatchedLoader since(const WatchedLoader& now, const StepsSoFar& begin);
/// The same without steps and epochs, of which a copy takes its time: sums only.
[[nodiscard]] WatchedLoader sums_since(const WatchedLoader& now, const StepsSoFar& begin);

/// Seconds a step: sums, divided by the number of steps.
struct StepTimes {
  double loading = 0.0;
  double training = 0.0;

  [[nodiscard]] double step() const { return loading + training; }
  [[nodiscard]] double loading_share() const { return step() > 0.0 ? loading / step() : 0.0; }
};

/// Steps at the begin of an epoch that say nothing of the rest: max(W·pf, 5), at most half of it.
[[nodiscard]] std::size_t discarded_steps(const ScriptLoader& loader);
/// The same loader of a process, at whatever settings, or a successor of it.
[[nodiscard]] bool is_one_loader(const ScriptLoader& a, const ScriptLoader& b);
/// The settings that may be switched are the same.
[[nodiscard]] bool has_settings_of(const ScriptLoader& a, const ScriptLoader& b);

/// How its workers start: "fork", where the script does not say.
[[nodiscard]] std::string start_method(const ScriptLoader& loader);

/// Steps in which each worker brings a batch: num_workers, at least 1.
[[nodiscard]] std::size_t turn_of(const ScriptLoader& loader);
/// Batches in a block of whole steps: a multiple of the turn and of the batches of a step.
[[nodiscard]] std::size_t block_of(const ScriptLoader& loader, std::size_t batches_per_step);
/// Batches that may be ready at a time: num_workers * prefetch_factor.
[[nodiscard]] std::size_t most_outstanding(const ScriptLoader& loader);

/// Of a batch, over the steps that the verdict is on. Nothing where there is no whole block.
[[nodiscard]] std::optional<StepTimes> step_times(const WatchedLoader& watched);
/// Of a batch, over whole blocks of steady steps.
[[nodiscard]] std::optional<StepTimes> steady_times(const WatchedLoader& watched);
/// Batches of an epoch, as far as they are known.
[[nodiscard]] std::optional<double> epoch_length(const WatchedLoader& watched);
/// What the begin of an epoch takes beyond steady steps of `step` seconds.
[[nodiscard]] double start_seconds(const WatchedLoader& watched, double step);

}  // namespace feedrate
