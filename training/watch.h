// SPDX-License-Identifier: Apache-2.0
// The step log of the DataLoaders of a training script, from the marks that it has sent so far:
// rates, shares, the course and the cost of tuning all come from it. One thread.
//
// Step i has loaded from t0 to t1 and trained from t1 to the next t0; the first step of an epoch
// has loaded since iter() was called. A verdict is on all steps but those at the begin of the first
// epoch and after a switch, which take batches that were prefetched. Steady steps are those that a
// setting is compared by: none at the begin of any epoch, nor after a pause. A gap is a pause where
// another loader of the same thread was iterated in it that is no part of the step, or where it is
// as long as several blocks of steps. Whatever is kept has a bound, however long the script runs.
#pragma once
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "engines/protocol.h"
#include "training/course.h"
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

/// One loader at one setting. Loaders of a script that have a group in common are one loader.
struct WatchedLoader {
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
  std::size_t steps = 0;           ///< whose end is known, the discarded ones too
  /// Of all of them, without pauses and without the loading of an epoch's first one.
  double seconds = 0.0;
  StepSums first_batches;  ///< of all epochs: their number, seconds of loading and of their ends
  StepSums sums;           ///< of what is kept, by whole blocks
  double paused = 0.0;     ///< seconds that belong to no step
  StartSums first_start;   ///< of the loader's first epoch
  StartSums epoch_starts;  ///< of the others
  StartSums switches;      ///< to this setting
  std::size_t batches_per_step = 1;  ///< next() calls without work between them
  std::vector<WatchedPart> parts;    ///< other loaders that give batches to each of its steps
  /// What batches cost, in workers or without them: sums over `fetched` of them.
  std::size_t fetched = 0;
  double fetch_wall = 0.0;
  double fetch_cpu = 0.0;
  /// Of steps that CUDA events timed: seconds.
  std::size_t gpu_steps = 0;
  double gpu_idle = 0.0;
  double gpu_busy = 0.0;
  ScriptCopies copies;
  LoadingEvidence evidence;  ///< of the processes that loaded at this setting
};

/// How far a loader has come, to tell later what has happened since.
struct StepsSoFar {
  std::size_t steady = 0;
  std::size_t steps = 0;
  double seconds = 0.0;
  StepSums sums;
  double paused = 0.0;
  std::size_t fetched = 0;
  double fetch_wall = 0.0;
  double fetch_cpu = 0.0;
  std::size_t gpu_steps = 0;
  double gpu_idle = 0.0;
  double gpu_busy = 0.0;
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

/// The same loader of a process, at whatever settings, or a successor of it.
[[nodiscard]] bool is_one_loader(const ScriptLoader& a, const ScriptLoader& b);
/// The settings that may be switched are the same.
[[nodiscard]] bool has_settings_of(const ScriptLoader& a, const ScriptLoader& b);

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

class Watch {
 public:
  /// The settings that request `number` asks for, and for what. Numbers are never used again.
  void expect(std::size_t number, const ScriptLoader& settings,
              SegmentUse use = SegmentUse::kTrial) {
    requests_[number] = {settings, use};
  }
  /// A message of the process at `connection`. One that cannot be true is left out.
  void add(std::size_t connection, const ScriptMessage& message);

  /// In the order in which they appeared. Their addresses stay.
  [[nodiscard]] const std::deque<WatchedLoader>& loaders() const { return loaders_; }
  /// When they did what.
  [[nodiscard]] const CourseRecorder& course() const { return course_; }
  /// The loader with the most time, of the first rank, and of its settings the one with the most;
  /// of several that give to one step, the slowest. Null where none has a kept step. `asked`: of
  /// those that the script asked to have tuned (ScriptLoader::budget).
  [[nodiscard]] const WatchedLoader* main_loader(bool asked = false) const;

  /// A loader of a process, and how many batches it has handed out.
  struct Target {
    std::size_t connection = 0;
    std::size_t loader = 0;
    std::size_t batches = 0;
  };
  /// The newest one of each rank that is this loader: the first rank's first.
  [[nodiscard]] std::vector<Target> targets(const WatchedLoader& of) const;
  /// The latest mark.
  [[nodiscard]] Nanos now() const { return now_; }

  [[nodiscard]] const ScriptProcess& process(std::size_t connection) const {
    return processes_.at(connection);
  }

  /// What the script said of a loader beside its marks.
  struct Remarks {
    std::optional<ScriptLimit> limit;
    std::size_t audited = 0;  ///< batches that were identical
    std::string difference;   ///< of the first batch that was not; empty: all were
    std::vector<std::string> notes;
  };
  [[nodiscard]] const Remarks& remarks(const WatchedLoader& of) const;

 private:
  using Key = std::pair<std::size_t, std::size_t>;  // Connection, and number or group.
  enum class Phase { kFirstEpoch, kEpoch, kSwitched, kPaused };
  // A batch whose step is under way.
  struct Step {
    ScriptMark mark;
    Nanos loading{};
    Nanos left{};           // Part of the gap after it, in which its iterator was dropped.
    std::size_t index = 0;  // Of loaders_.
    bool is_first = false;  // Of its epoch.
    bool is_kept = false;
    bool is_steady = false;
  };
  // A batch, by which a span that comes later is found its step.
  struct Note {
    std::size_t loader = 0;
    std::size_t epoch = 0;
    std::size_t number = 0;  // In the epoch.
    Nanos asked{};
    std::size_t index = 0;
    bool is_kept = false;
  };
  // Another loader of the same thread, in the gap after a step.
  struct Visit {
    Key key;
    std::size_t index = 0;
    std::size_t batches = 0;
    Nanos first{};
    double loading = 0.0;
  };
  // A loader of a process: an object of the script and its successors.
  struct Place {
    std::size_t index = 0;             // Of loaders_.
    std::size_t course = 0;            // Of course_.
    std::vector<std::size_t> numbers;  // Of the latest objects.
    std::size_t batches = 0;           // Of the latest object.
    Phase phase = Phase::kFirstEpoch;
    std::size_t phase_steps = 0;
    std::size_t unkept = 0;  // Steps to come that the verdict is not on.
    std::size_t epochs = 0;
    std::size_t epoch = 0;
    std::size_t epoch_batches = 0;  // Since its begin.
    std::size_t thread = 0;
    bool is_after_pause = false;  // The next batch is the first one after it.
    ScriptLoader own;             // As the script has it.
    std::optional<ScriptMark> begin;
    std::optional<Step> last;
    std::optional<Nanos> end;  // Of the epoch before.
    StepSums block;            // Of kept steps, the one under way.
    PauseDetector pauses;
    BatchGroups groups;
    std::map<Key, Interleaving> interleaved;
    std::vector<Visit> visits;
    std::deque<Note> notes;
    std::size_t audited_before = 0;  // By earlier objects.
    Remarks remarks;
  };
  struct Request {
    ScriptLoader settings;
    SegmentUse use = SegmentUse::kTrial;
  };
  struct Gap {
    double training = 0.0;
    double paused = 0.0;
  };

  void take(std::size_t connection, const ScriptLoader& loader);
  void take(std::size_t connection, Place& place, const ScriptMark& mark);
  void take(std::size_t connection, Place& place, const ScriptSwitchFailed& failed);
  static void take(Place& place, const ScriptAudit& audit);
  static void take(Place& place, const ScriptNote& note);
  void add_span(Place& place, const ScriptSpan& span);
  void change(std::size_t connection, Place& place, const ScriptLoader& loader, std::size_t request,
              SegmentUse use);
  [[nodiscard]] std::size_t index_of(std::size_t connection, const ScriptLoader& loader);
  void begin_epoch(Place& place, const ScriptMark& mark);
  void add_batch(std::size_t connection, Place& place, const ScriptMark& mark);
  void end_epoch(Place& place, const ScriptMark& mark);
  void visit_others(std::size_t connection, const Place& place, Nanos at,
                    std::optional<double> loading);
  void end_step(std::size_t connection, Place& place, Nanos now);
  [[nodiscard]] Gap gap_of(const Key& own, Place& place, const Step& step, Nanos now);
  [[nodiscard]] Nanos end_of_training(const Key& own, Place& place, const Step& step, Nanos now);
  static void count_visits(Place& place);
  void add_part(WatchedLoader& watched, const Visit& visit);
  [[nodiscard]] bool is_part(const Key& of, const Visit& visit) const;
  void add_to_group(Place& place, double training);
  void log(Place& place, const Step& step, const Gap& gap);
  void add_start(Place& place, WatchedLoader& watched, double seconds);
  [[nodiscard]] Place* find(std::size_t connection, std::size_t number);

  std::map<std::size_t, ScriptProcess> processes_;
  std::map<Key, std::size_t> groups_;  // By number.
  std::map<Key, Place> places_;        // By group.
  std::map<std::size_t, Request> requests_;
  std::deque<WatchedLoader> loaders_;
  CourseRecorder course_;
  Nanos now_{};
};

/// Steps at the begin of an epoch that say nothing of the rest: max(W·pf, 5), at most half of it.
[[nodiscard]] std::size_t discarded_steps(const ScriptLoader& loader);

}  // namespace feedrate
