// SPDX-License-Identifier: Apache-2.0
// When the DataLoaders of a script did what, from the messages that a Watch gets, too: a Watch
// keeps steps on a time of its own. The same steps are discarded. What is kept has a bound, however
// long the script runs. One thread.
#pragma once
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/result.h"
#include "training/recorded_loader.h"
#include "training/tuning.h"

namespace feedrate {

class CourseRecorder {
 public:
  /// As Watch::expect, with what the settings are asked for.
  void expect(std::size_t number, const ScriptLoader& settings, SegmentUse use);
  /// A message of the process at `connection`. One that cannot be true is left out.
  void add(std::size_t connection, const ScriptMessage& message);

  /// Of the first rank, with a kept turn; the one with the most time first.
  [[nodiscard]] std::vector<LoaderCourse> loaders() const;

 private:
  // An object of the script, several of which may be one RecordedLoader, one after the other.
  struct Place {
    std::size_t index = 0;  // Of loaders_.
    ScriptLoader own;
    RecordedSegment now;  // As the next one begins.
    std::size_t epoch_steps = 0;
    std::size_t batches = 0;  // Of the epoch.
    std::optional<ScriptMark> begin;
    std::optional<ScriptMark> last;  // A batch whose step is under way.
    RecordedTurn turn;
    std::size_t in_turn = 0;
  };
  struct Request {
    ScriptLoader settings;
    SegmentUse use;
  };

  void take(std::size_t connection, const ScriptLoader& loader);
  void take(Place& place, const ScriptMark& mark);
  void take(Place& place, const ScriptSwitchFailed& failed);
  void set(Place& place, const ScriptLoader& loader, std::size_t request, SegmentUse use);
  void end_step(Place& place, Nanos now);
  void add_batch(Place& place, const ScriptMark& mark);
  RecordedSegment& segment(Place& place, Nanos begin);
  [[nodiscard]] Place* find(std::size_t connection, std::size_t loader);

  std::map<std::size_t, ScriptProcess> processes_;
  std::map<std::pair<std::size_t, std::size_t>, Place> places_;  // By connection and number.
  std::map<std::size_t, Request> requests_;
  std::vector<RecordedLoader> loaders_;
};

/// Into `run`, with the lines of the verdict. `tuner` is null where nothing was tuned.
void set_course(RunResult& run, const CourseRecorder& recorder, const InPlaceTuner* tuner,
                std::vector<std::string> verdict);

}  // namespace feedrate
