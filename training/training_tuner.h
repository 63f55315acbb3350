// SPDX-License-Identifier: Apache-2.0
// Watches a training with all its ranks, and tunes its main loader, then the other loaders of the
// same steps that still take much of them: takes what the script's processes tell, and says what to
// tell them. It tunes again where the wait has grown since. No input or output of its own. One
// thread.
#pragma once
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "training/tuning.h"
#include "training/verdict.h"
#include "training/watch.h"

namespace feedrate {

struct TrainingTunerOptions {
  /// Tunes the main loader whether or not the script has asked for it (ScriptLoader::budget).
  bool tunes = false;
  InPlaceAims aims;
  /// Nanoseconds of the training between two times that it is tuned, at least.
  Nanos rest = std::chrono::hours(1);
  /// Sends a line to the process at a connection. Not called by add().
  std::function<void(std::size_t connection, const std::string& line)> send;
  /// Why there is no room for the workers of `wanted` beside those of `now`; empty where there is.
  std::function<std::string(const WatchedLoader& now, const ScriptLoader& wanted)> why_no_room;
  /// Workers that may be started beside `now` until more is known of them. Empty: any number.
  std::function<std::size_t(const WatchedLoader& now)> most_workers_now = {};
};

class TrainingTuner {
 public:
  explicit TrainingTuner(TrainingTunerOptions options) : options_(std::move(options)) {}

  /// A message of the process at `connection`.
  void add(std::size_t connection, const ScriptMessage& message);
  /// To be called after messages: sends what they call for.
  void advance();
  /// Memory runs out: back to the settings that the last tuning began with, for `problem`.
  void give_up(const std::string& problem);

  [[nodiscard]] const Watch& watch() const { return watch_; }
  /// The loader that is or would be tuned; null where too few steps were seen.
  [[nodiscard]] const WatchedLoader* main() const;
  /// Each time that it was tuned, the last one last.
  [[nodiscard]] const std::deque<InPlaceTuner>& tunings() const { return tunings_; }
  /// Whether settings are asked for that are not the script's own.
  [[nodiscard]] bool is_changed() const;
  /// Nothing is to be tried, or it was. False while too few steps were seen to know.
  [[nodiscard]] bool is_over() const;
  /// Why the main loader is not tuned though it should be; empty: it is, or need not be.
  [[nodiscard]] std::string why_not_tuned() const;

 private:
  [[nodiscard]] std::optional<double> budget_of(const ScriptLoader& loader) const;
  void begin(const WatchedLoader& now, const LoaderTotals& begin = {});
  void begin_first();
  bool give_up_beyond_limit(InPlaceTuner& tuning);
  void look_again(const WatchedLoader& now);
  /// Whether another loader of the same steps is to be tuned, or may be: not enough is known yet.
  [[nodiscard]] bool awaits_part() const;
  [[nodiscard]] const WatchedLoader* next_part() const;
  void note_parts(const InPlaceTuner& tuning);
  [[nodiscard]] LoaderTotals part_begin(const WatchedLoader& part) const;
  [[nodiscard]] bool is_left(const StepPart& part, const LoaderVerdict& verdict) const;
  [[nodiscard]] std::string why_not(const WatchedLoader& loader) const;
  [[nodiscard]] std::string why_refused(const ScriptLoader& settings) const;
  [[nodiscard]] std::size_t share_of_cpus(const WatchedLoader& of) const;
  void request(std::optional<ScriptLoader> settings);
  void send(const ScriptLoader& settings);

  TrainingTunerOptions options_;
  Watch watch_;
  std::deque<InPlaceTuner> tunings_;
  std::size_t requests_ = 0;
  std::string problem_;         // Why the last request failed; empty: it has not.
  bool has_successor_ = false;  // The tuned loader was made anew.
  // Other loaders of the steps, as they were when a tuning was over.
  std::vector<std::pair<const WatchedLoader*, LoaderTotals>> parts_;
  std::size_t over_at_steps_ = 0;  // Of the tuned one, at the settings that stay.
  // Since the last tuning was over.
  Nanos over_at_{};
  std::optional<LoaderTotals> window_;  // Begin of the steps that are looked at.
  std::optional<double> stall_;         // Of the first of them.
};

}  // namespace feedrate
