// SPDX-License-Identifier: Apache-2.0
// The step log of one loader of a process: an object of the script with its successors. Each step
// is logged once, with its fate and its setting; the figures of a WatchedLoader and the history of
// the run are views of the log. One thread.
//
// Step i loads from t0 to t1 and trains until the next t0; the first step of an epoch loads since
// iter() was called. Steps at the begin of the first epoch and after a switch are discarded, since
// they take batches that were prefetched. Memory is bounded, however long the script runs.
#pragma once
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/history.h"
#include "training/gaps.h"
#include "training/messages.h"
#include "training/step_blocks.h"
#include "training/watched_loader.h"

namespace feedrate {

/// Settings that the program or the script asked for.
struct SettingRequest {
  std::size_t number = 0;  ///< never used again; 0: the script's own
  ScriptLoader settings;
  SegmentUse use = SegmentUse::kOwn;
};

/// Consecutive steps with the same settings.
struct LogSegment {
  std::size_t request = 0;
  Settings settings = {};
  SegmentUse use = SegmentUse::kOwn;
  std::string problem = {};  ///< why these settings failed, or could not stay
  Nanos begin{};
  Nanos end{};
  std::size_t steps = 0;
  StepBlocks blocks = {};  ///< of kept steps
};

class StepLog {
 public:
  /// A batch whose step is not over.
  struct Step {
    ScriptMark mark;
    WatchedLoader* cell = nullptr;
    Nanos loading{};
    Nanos left{};           ///< part of the gap after it in which its iterator was dropped
    bool is_first = false;  ///< of its epoch
    StepFate fate = StepFate::kDiscarded;
  };

  /// Steps have the settings of `cell` from now on, which outlives this object.
  void change(WatchedLoader& cell, const SettingRequest& request);
  /// Settings could not be, or could not stay: `problem`.
  void fail(const SettingRequest& request, const std::string& problem);
  void begin_epoch(const ScriptMark& mark);
  void end_epoch(const ScriptMark& mark);
  void add_batch(const ScriptMark& mark);
  /// The iterator was dropped before its end, which took so long.
  void leave_epoch(Nanos duration);
  void add_span(const ScriptSpan& span);

  [[nodiscard]] const std::optional<Step>& step() const { return step_; }
  void drop_step() { step_.reset(); }
  /// Ends the step: it trained until `trained`; a pause followed until `now`. REQUIRES: step()
  void end_step(Nanos trained, Nanos now);

  /// The loader at its present setting.
  [[nodiscard]] WatchedLoader& cell() const { return *cell_; }
  [[nodiscard]] std::size_t thread() const { return thread_; }
  /// Batches of a step: next() calls without work between them.
  [[nodiscard]] std::size_t batches_per_step() const { return groups_.size(); }
  /// The first one and the latest, if there are too many.
  [[nodiscard]] const std::vector<LogSegment>& segments() const { return segments_; }

 private:
  enum class Phase { kFirstEpoch, kEpoch, kSwitched, kPaused };
  // A batch for which a span of the GPU may still come.
  struct Note {
    std::size_t loader = 0;
    std::size_t epoch = 0;
    std::size_t number = 0;  // In the epoch.
    Nanos asked{};
    WatchedLoader* cell = nullptr;
    bool is_kept = false;
  };

  void begin_phase(Phase phase);
  void add_note(const Step& step);
  void log(const Step& step, double training, double paused);
  void add_to_block(const Step& step, double training);
  [[nodiscard]] StartSums& start_of(WatchedLoader& cell) const;
  LogSegment& segment(Nanos begin);
  [[nodiscard]] StepBlock* block_at(Nanos time);

  WatchedLoader* cell_ = nullptr;
  Phase phase_ = Phase::kFirstEpoch;
  std::size_t phase_steps_ = 0;
  std::size_t to_discard_ = 0;  // Steps.
  std::size_t epochs_ = 0;
  std::size_t epoch_batches_ = 0;
  std::size_t thread_ = 0;
  bool is_after_pause_ = false;      // The next batch is the first one after a pause.
  std::optional<ScriptMark> begin_;  // Of the epoch, until its first batch.
  std::optional<Nanos> end_;         // Of the previous epoch.
  std::optional<Step> step_;
  PauseDetector pauses_;
  BatchGroups groups_;
  StepBlock block_;  // Under way.
  std::vector<LogSegment> segments_;
  LogSegment next_;         // As the next segment begins.
  bool has_next_ = false;   // It has not begun.
  std::deque<Note> notes_;  // Of the latest batches.
};

}  // namespace feedrate
