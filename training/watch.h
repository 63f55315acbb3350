// SPDX-License-Identifier: Apache-2.0
// How the DataLoaders of a training script stand, from the marks that it has sent so far. One
// thread.
//
// Step i has loaded from t0 to t1 and trained from t1 to the next t0. The first steps of an epoch
// are discarded: they take batches that were prefetched during its start. So is a step with a
// pause, as of an evaluation, and those after it. Steps are kept on a time of their own, on which
// one follows the other, whatever lies between epochs.
#pragma once
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engines/protocol.h"
#include "training/messages.h"

namespace feedrate {

/// One loader at one setting.
struct WatchedLoader {
  std::size_t connection = 0;
  ScriptProcess process;
  ScriptLoader loader;
  bool is_current = true;  ///< it has this setting now
  Measurement measurement;
  std::size_t forgotten = 0;    ///< kept steps before those of `measurement`
  std::size_t kept_before = 0;  ///< kept steps, forgotten ones too, when it got this setting last
  std::vector<double> epoch_gaps;  ///< seconds from an epoch's end to the next one's begin
  std::size_t batches = 0;         ///< handed out
  std::size_t steps = 0;           ///< whose end is known, the discarded ones too
  /// Of all of them, without the loading of an epoch's first one, which waits for its workers.
  double seconds = 0.0;
  /// What batches cost, in workers or without them: sums over `fetched` of them.
  std::size_t fetched = 0;
  double fetch_wall = 0.0;
  double fetch_cpu = 0.0;
  /// Of steps that CUDA events timed: seconds.
  std::vector<double> gpu_idle;
  std::vector<double> gpu_busy;
  ScriptCopies copies;
  std::vector<pid_t> workers;  ///< that load for it now
  LoadingEvidence evidence;    ///< of those that loaded at this setting
};

/// How far a loader has come, to tell later what has happened since.
struct StepsSoFar {
  std::size_t kept = 0;
  std::size_t steps = 0;
  double seconds = 0.0;
  std::size_t fetched = 0;
  double fetch_wall = 0.0;
  double fetch_cpu = 0.0;
  std::size_t gpu_steps = 0;
};

[[nodiscard]] StepsSoFar steps_so_far(const WatchedLoader& watched);
/// The kept steps since then, which `now` holds.
[[nodiscard]] std::span<const StepMarks> kept_since(const WatchedLoader& now,
                                                    const StepsSoFar& begin);
/// `now` as if it had begun at `begin`. Epochs and copies stay.
[[nodiscard]] WatchedLoader since(const WatchedLoader& now, const StepsSoFar& begin);

/// Seconds a step: medians over whole turns of the workers, since batches come in bursts of
/// num_workers.
struct StepTimes {
  double loading = 0.0;
  double training = 0.0;

  [[nodiscard]] double step() const { return loading + training; }
  [[nodiscard]] double loading_share() const { return step() > 0.0 ? loading / step() : 0.0; }
};

/// The same loader of the script, at whatever settings, or one made anew in its place.
[[nodiscard]] bool is_one_loader(const ScriptLoader& a, const ScriptLoader& b);

/// Steps in which each worker brings a batch: num_workers, at least 1.
[[nodiscard]] std::size_t turn_of(const ScriptLoader& loader);
/// Batches that may be ready at a time: num_workers * prefetch_factor.
[[nodiscard]] std::size_t most_outstanding(const ScriptLoader& loader);

/// Nothing where there is no whole turn.
[[nodiscard]] std::optional<StepTimes> step_times(const WatchedLoader& watched);

class Watch {
 public:
  /// The settings that request `number` asks for. Numbers are never used again.
  void expect(std::size_t number, const ScriptLoader& settings) { requests_[number] = settings; }
  /// A message of the process at `connection`. One that cannot be true is left out.
  void add(std::size_t connection, const ScriptMessage& message);

  /// In the order in which they appeared. A later loader at the same place of the script, with the
  /// same settings, counts as the same one.
  [[nodiscard]] const std::vector<WatchedLoader>& loaders() const { return loaders_; }
  /// The one with the most time, of the first rank; null where none has a kept step. `asked`: of
  /// those that the script asked to have tuned (ScriptLoader::budget).
  [[nodiscard]] const WatchedLoader* main_loader(bool asked = false) const;

  /// A loader of a process, and how many batches it has handed out.
  struct Target {
    std::size_t connection = 0;
    std::size_t loader = 0;
    std::size_t batches = 0;
  };
  /// The newest one of each rank that is this loader: the first rank's first.
  [[nodiscard]] std::vector<Target> targets(const ScriptLoader& loader) const;
  /// The latest mark.
  [[nodiscard]] Nanos now() const { return now_; }

 private:
  struct Place {
    std::size_t index = std::numeric_limits<std::size_t>::max();  // Of loaders_; none at first.
    std::size_t batches = 0;
    std::size_t epoch_steps = 0;  // Since its begin, or a switch.
    std::size_t epoch = 0;
    std::size_t epoch_batches = 0;  // Since its begin.
    std::size_t first_span = 0;     // Steps of the epoch before it say nothing of this setting.
    ScriptLoader own;               // As the script has it.
    std::optional<ScriptMark> begin;
    std::optional<ScriptMark> last;  // A batch whose step is under way.
    std::optional<Nanos> end;        // Of the epoch before.
  };
  using Key = std::pair<std::size_t, std::size_t>;  // Connection and number.

  void take(std::size_t connection, const ScriptLoader& loader);
  void set(std::size_t connection, Place& place, const ScriptLoader& loader);
  void take(Place& place, const ScriptMark& mark);
  void begin_epoch(Place& place, const ScriptMark& mark);
  void end_step(Place& place, Nanos now);
  [[nodiscard]] Place* find(std::size_t connection, std::size_t loader);

  std::map<std::size_t, ScriptProcess> processes_;
  std::map<Key, Place> places_;
  std::map<std::size_t, ScriptLoader> requests_;
  std::vector<WatchedLoader> loaders_;
  Nanos now_{};
};

/// Steps at the begin of an epoch that say nothing of the rest: max(W·pf, 5), at most half of it.
[[nodiscard]] std::size_t discarded_steps(const ScriptLoader& loader);

}  // namespace feedrate
