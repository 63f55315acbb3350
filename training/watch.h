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

#include "bench/engines/protocol.h"
#include "training/course.h"
#include "training/messages.h"
#include "training/step_log.h"
#include "training/watched_loader.h"

namespace feedrate {

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
  /// Seconds of CPU time of loads by workers of trials, which are no descendants of the script.
  [[nodiscard]] double hidden_cpu() const { return hidden_cpu_; }

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
  [[nodiscard]] static StartSums& start_of(const Place& place, WatchedLoader& watched);
  [[nodiscard]] static bool is_by_hidden_workers(const Place& place, const ScriptLoader& loader);
  [[nodiscard]] Place* find(std::size_t connection, std::size_t number);

  std::map<std::size_t, ScriptProcess> processes_;
  std::map<Key, std::size_t> groups_;  // By number.
  std::map<Key, Place> places_;        // By group.
  std::map<std::size_t, Request> requests_;
  std::deque<WatchedLoader> loaders_;
  CourseRecorder course_;
  Nanos now_{};
  double hidden_cpu_ = 0.0;
};

}  // namespace feedrate
