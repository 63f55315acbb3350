// SPDX-License-Identifier: Apache-2.0
// The decision procedure of `feedrate tune` (tuner/tuner.h), with a training that goes on as the
// world outside: a start of a loader is a segment of its steps, in which it has the settings asked
// for. It says what to switch to, and reads in a Watch what came of it. One thread.
//
// A segment is the steps that a switch makes meaningless, which are discarded, and then whole turns
// of num_workers. What trying costs is the time of all its steps beyond what they would have taken
// at the best rate known. Where a further segment may go beyond the bound on that, the best setting
// so far stays. Steps that take a quarter of the bound are given up; not a switch, which is paid
// once.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "training/watch.h"
#include "tuner/tuner.h"

namespace feedrate {

struct InPlaceAims {
  double confidence = 0.95;
  double tolerance = 0.02;
  double bound = 0.05;  ///< of the time of `bound_steps` steps at the best rate known
  std::size_t bound_steps = 1'000;
  double least_seconds = 5.0;  ///< where those steps take less: of this time, and after it
};

/// Enough was seen of the loader to predict other settings: twenty kept steps; fewer, down to five,
/// where more than a quarter of a step is loading, so that each of them is dear.
[[nodiscard]] bool is_ready_to_tune(const WatchedLoader& present, const InPlaceAims& aims);

/// The settings that may be switched to, the loader's own first: num_workers up to the CPUs, or
/// beyond where a batch mostly waits; prefetch_factor; and pin_memory where a GPU trains.
[[nodiscard]] std::vector<ScriptLoader> in_place_candidates(const WatchedLoader& present);

class InPlaceTuner {
 public:
  /// `now` has the settings to begin with, and since `begin` at least a turn of kept steps.
  InPlaceTuner(const WatchedLoader& now, const InPlaceAims& aims, const StepsSoFar& begin = {});

  /// To be called after each message. What to switch to now; nothing: stay.
  [[nodiscard]] std::optional<ScriptLoader> advance(const Watch& watch);
  /// A switch did not take place, and why.
  [[nodiscard]] std::optional<ScriptLoader> fail(const std::string& problem);

  /// Tries nothing more: back to the settings it began with, for `problem`.
  [[nodiscard]] std::optional<ScriptLoader> give_up(const std::string& problem);
  /// Why it was given up; empty: it was not.
  [[nodiscard]] const std::string& why_given_up() const { return why_given_up_; }

  [[nodiscard]] bool is_over() const { return stage_ == Stage::kOver; }
  /// The candidate that was asked for last.
  [[nodiscard]] std::size_t wanted() const { return candidate_; }
  /// The loader with the settings that were asked for; null until the script says that it has them.
  [[nodiscard]] const WatchedLoader* current(const Watch& watch) const;
  /// The candidate that stays: what is recommended where it was tried and was faster than the
  /// script's own settings, by more than the tolerance and, to 80 %, not by chance; else these.
  /// Where it was not tried, the best that was.
  [[nodiscard]] std::size_t chosen() const;
  /// What is recommended so far; nothing before enough is known.
  [[nodiscard]] std::optional<Decision> decision() const { return tuner_->decision(); }
  /// As it was when tuning began.
  [[nodiscard]] const WatchedLoader& present() const { return present_; }
  [[nodiscard]] const ScriptLoader& settings(std::size_t candidate) const {
    return loaders_.at(candidate);
  }
  /// Seconds that trying has cost so far.
  [[nodiscard]] double cost() const { return cost_; }
  /// The same of what `bound_steps` steps take at the best rate known.
  [[nodiscard]] double cost_share() const;
  [[nodiscard]] const InPlaceAims& aims() const { return aims_; }

 private:
  enum class Stage { kStarting, kSwitching, kFirstStep, kMeasuring, kOver };
  struct StepTotals {
    std::size_t steps = 0;
    double seconds = 0.0;
  };

  [[nodiscard]] std::size_t segment_steps() const;
  [[nodiscard]] bool is_faster(const Decision& decided) const;
  [[nodiscard]] bool is_surely_worse(const Measurement& segment) const;
  std::optional<ScriptLoader> next();
  void add_start(const Measurement& segment, std::optional<std::size_t> round);
  void add_failure(const std::string& reason);
  void end_segment(const Watch& watch, const Measurement& segment);
  [[nodiscard]] bool is_too_costly() const;
  /// What `bound_steps` steps take at the best rate known.
  [[nodiscard]] double bound_seconds() const;
  [[nodiscard]] StepTotals totals(const Watch& watch) const;
  /// Seconds beyond best_step_.
  [[nodiscard]] double cost_since(const StepTotals& begin, const Watch& watch) const;

  InPlaceAims aims_;
  WatchedLoader present_;  // As it was when tuning began.
  std::vector<ScriptLoader> loaders_;
  std::vector<CellResult> cells_;  // One a candidate.
  std::optional<Tuner> tuner_;
  Stage stage_ = Stage::kStarting;
  std::size_t candidate_ = 0;  // Which the loader has, or is to have.
  StepsSoFar begin_;           // What the setting had at the begin of the segment.
  StepTotals begun_;           // What the loader had when the segment before ended.
  StepTotals switched_;  // The same after the first step of a new setting, which waits for workers.
  std::optional<std::size_t> round_;
  std::string why_given_up_;
  double best_step_ = 0.0;  // Seconds.
  double cost_ = 0.0;       // Seconds beyond best_step_, of all steps.
  double dearest_ = 0.0;    // Of one segment.
};

}  // namespace feedrate
