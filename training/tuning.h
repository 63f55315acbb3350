// SPDX-License-Identifier: Apache-2.0
// The decision procedure of `feedrate tune` (tuner/tuner.h), with a training that goes on as the
// world outside: a start of a loader is a segment of its steps, in which it has the settings asked
// for. It says what to switch to, and reads in a Watch what came of it. One thread.
//
// A segment is the steps that a switch makes meaningless, which are discarded, and then whole turns
// of num_workers. What trying costs is the time of all steps beyond what they would have taken at
// the best rate known, and is bounded; then the best setting so far stays.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "training/watch.h"
#include "tuner/tuner.h"

namespace feedrate {

struct InPlaceAims {
  double confidence = 0.95;
  double tolerance = 0.02;
  double bound = 0.05;  ///< of the time of `bound_steps` steps as they were
  std::size_t bound_steps = 1'000;
};

/// The settings that may be switched to, the loader's own first: num_workers up to the CPUs,
/// prefetch_factor, and pin_memory where a GPU trains.
[[nodiscard]] std::vector<ScriptLoader> in_place_candidates(const WatchedLoader& present);

class InPlaceTuner {
 public:
  /// `present` has the settings that the script asked for, and at least a turn of kept steps.
  InPlaceTuner(const WatchedLoader& present, const InPlaceAims& aims);

  /// To be called after each message. What to switch to now; nothing: stay.
  [[nodiscard]] std::optional<ScriptLoader> advance(const Watch& watch);
  /// A switch did not take place, and why.
  [[nodiscard]] std::optional<ScriptLoader> fail(const std::string& problem);

  [[nodiscard]] bool is_over() const { return stage_ == Stage::kOver; }
  /// What is recommended so far; nothing before enough is known.
  [[nodiscard]] std::optional<Decision> decision() const { return tuner_->decision(); }
  [[nodiscard]] const ScriptLoader& settings(std::size_t candidate) const {
    return loaders_.at(candidate);
  }
  /// Of the time that all steps took since tuning began.
  [[nodiscard]] double cost_share() const;
  [[nodiscard]] std::size_t steps() const { return steps_; }

 private:
  enum class Stage { kSwitching, kMeasuring, kOver };

  [[nodiscard]] std::vector<std::optional<Prediction>> predict(
      std::span<const Candidate> candidates) const;
  [[nodiscard]] const WatchedLoader* current(const Watch& watch) const;
  [[nodiscard]] std::size_t segment_steps() const;
  [[nodiscard]] bool is_surely_worse(const Measurement& segment) const;
  std::optional<ScriptLoader> next();
  void end_segment(const Measurement& segment);
  [[nodiscard]] bool is_too_costly() const;
  void note_cost(const Measurement& segment);

  InPlaceAims aims_;
  std::vector<ScriptLoader> loaders_;
  WatchedLoader present_;  // As it was when tuning began.
  StepTimes present_times_;
  std::vector<CellResult> cells_;  // One a candidate.
  std::optional<Tuner> tuner_;
  Stage stage_ = Stage::kMeasuring;
  std::size_t candidate_ = 0;  // Which the loader has, or is to have.
  std::size_t begin_ = 0;      // Of its kept steps, the first of the segment.
  std::optional<std::size_t> round_;
  double best_step_ = 0.0;  // Seconds.
  double spent_ = 0.0;      // Seconds of all segments,
  double cost_ = 0.0;       // and those above best_step_ each.
  std::size_t steps_ = 0;
};

}  // namespace feedrate
