// SPDX-License-Identifier: Apache-2.0
// Watches a training with all its ranks and tunes its main loader, then other loaders that still
// take much of the same steps. It tunes again when the wait has grown. It receives the messages of
// the script's processes and sends requests through a function. One thread.
#pragma once
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "training/in_place_tuner.h"
#include "training/wait_verdict.h"
#include "training/watch.h"

namespace feedrate {

struct TrainingOptions {
  /// Tunes the main loader whether or not the script has asked for it (ScriptLoader::budget).
  bool tunes = false;
  InPlaceAims aims;
  /// The least time between two tunings of a loader.
  Nanos rest = std::chrono::hours(1);
  /// Sends a line to the process at a connection. Not called by add().
  std::function<void(std::size_t connection, const std::string& line)> send;
  /// Why memory does not suffice for the workers of `now` and `wanted`; empty: it does.
  std::function<std::string(const WatchedLoader& now, const ScriptLoader& wanted)> why_no_memory;
  /// Workers that may be started besides those of `now`, until more is known. Empty: any number.
  std::function<std::size_t(const WatchedLoader& now)> most_workers_now = {};
};

class WatchedTraining {
 public:
  explicit WatchedTraining(TrainingOptions options) : options_(std::move(options)) {}

  /// A message of the process at `connection`.
  void add(std::size_t connection, const ScriptMessage& message);
  /// Call after messages: sends the requests that follow from them.
  void advance();
  /// Restores the settings that the last tuning began with, because memory runs out: `problem`.
  void give_up(const std::string& problem);

  [[nodiscard]] const Watch& watch() const { return watch_; }
  /// The loader that is or would be tuned; null after too few steps.
  [[nodiscard]] const WatchedLoader* main() const;
  /// All tunings, the latest one last.
  [[nodiscard]] const std::deque<InPlaceTuner>& tunings() const { return tunings_; }
  /// Whether other settings than the script's own are requested.
  [[nodiscard]] bool is_changed() const;
  /// All trials are over, or none is needed. False while too few steps were seen.
  [[nodiscard]] bool is_over() const;
  /// Why the main loader is not tuned although requested; empty: it is, or was not requested.
  [[nodiscard]] std::string why_not_tuned() const;

 private:
  [[nodiscard]] std::optional<double> budget_of(const ScriptLoader& loader) const;
  void begin(const WatchedLoader& now, const LoaderTotals& begin = {});
  void begin_first();
  bool give_up_beyond_limit(InPlaceTuner& tuning);
  void tune_again(const WatchedLoader& now);
  /// Whether another loader of the same steps will be tuned, or may be once more is known.
  [[nodiscard]] bool awaits_part() const;
  [[nodiscard]] const WatchedLoader* next_part() const;
  void note_parts(const InPlaceTuner& tuning);
  [[nodiscard]] LoaderTotals part_begin(const WatchedLoader& part) const;
  [[nodiscard]] bool is_left(const StepPart& part, const WaitVerdict& verdict) const;
  [[nodiscard]] std::string why_not(const WatchedLoader& loader) const;
  [[nodiscard]] std::string why_refused(const ScriptLoader& settings) const;
  [[nodiscard]] std::size_t share_of_cpus(const WatchedLoader& of) const;
  void request(std::optional<ScriptLoader> settings);
  void send(const ScriptLoader& settings);

  TrainingOptions options_;
  Watch watch_;
  std::deque<InPlaceTuner> tunings_;
  std::size_t requests_ = 0;
  std::string problem_;         // Why the last request failed; empty: it did not.
  bool has_successor_ = false;  // The script made the tuned loader again.
  // Other loaders of the steps, at the end of a tuning.
  std::vector<std::pair<const WatchedLoader*, LoaderTotals>> parts_;
  std::size_t over_at_steps_ = 0;  // Steps of the tuned one then, with the settings that stay.
  // Since the end of the last tuning.
  Nanos over_at_{};
  std::optional<LoaderTotals> window_;  // Begin of the observed steps.
  std::optional<double> stall_;         // In the first window.
};

}  // namespace feedrate
