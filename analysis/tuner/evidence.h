// SPDX-License-Identifier: Apache-2.0
// TuneEvidence holds the results of the starts of a tune, and the predictions, the ranking and the
// rates that follow from them. It chooses and measures nothing and reads no clock. One thread.
#pragma once
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "analysis/tuner/decision.h"
#include "analysis/tuner/ranking.h"

namespace feedrate {

struct TunerOptions {
  TuneGoals goals;
  /// Kept steps of a start, for the estimate of its time; fewer, but at least least_steps, if they
  /// take longer than window_seconds.
  std::size_t steps = 60;
  std::size_t least_steps = 1;
  double window_seconds = std::numeric_limits<double>::infinity();
  std::size_t most_starts = 12;  ///< per cell
  double cores = 1.0;
  Predictor predict = {};  ///< empty: predict_all()
};

class TuneEvidence {
 public:
  /// REQUIRES: at least one candidate
  TuneEvidence(std::vector<Candidate> candidates, std::vector<Settings> probes,
               TunerOptions options);

  /// See Tuner::add().
  void add(const CellResult& cell, double seconds);

  [[nodiscard]] const std::vector<Candidate>& candidates() const { return candidates_; }
  [[nodiscard]] const TuneGoals& goals() const { return options_.goals; }
  /// Empty before the probes allow a prediction.
  [[nodiscard]] const std::optional<Ranking>& ranking() const { return ranking_; }
  /// The first probe without a result; null if all have one.
  [[nodiscard]] const Settings* missing_probe() const;
  [[nodiscard]] std::optional<std::size_t> candidate_with(const Settings& settings) const;
  /// Its starts and its outcome; null before the first one.
  [[nodiscard]] const CellResult* cell_of(std::size_t candidate) const;
  /// The estimated time of a start; 0: unknown.
  [[nodiscard]] double seconds_for(const Settings& settings) const;
  /// The error of the prediction made before the candidate's first start; empty for probes.
  [[nodiscard]] std::optional<PredictionError> error_of(std::size_t candidate) const;

  // These require a ranking.

  /// Whether the candidate has a prediction, did not fail and has less than most_starts.
  [[nodiscard]] bool may_start(std::size_t candidate) const;
  /// Whether the requested confidence is reached.
  [[nodiscard]] bool is_sure() const;
  /// compare_rounds() with the noise of this tune's starts.
  [[nodiscard]] RatioVerdict compare(std::span<const double> differences) const;
  [[nodiscard]] RateOf rate_of(std::size_t candidate) const;
  /// Without the ending, the rivals and the fallback.
  [[nodiscard]] Decision decision() const;

  /// One per candidate; 0 if unknown.
  [[nodiscard]] std::vector<RateOf> rates() const;
  /// The rates as predictions for another tuner (transferred()); empty for failed
  /// candidates.
  [[nodiscard]] std::vector<std::optional<Prediction>> predictions() const;

 private:
  void note_prediction(const Settings& settings);
  [[nodiscard]] std::vector<PredictionError> errors() const;
  [[nodiscard]] std::vector<std::optional<Prediction>> predict() const;
  [[nodiscard]] double epoch_seconds(const Settings& settings, double step_time) const;

  std::vector<Candidate> candidates_;
  std::vector<Settings> probes_;
  TunerOptions options_;
  std::vector<CellResult> known_;  // Measured and failed cells.
  std::vector<std::optional<Prediction>> predictions_;
  std::optional<Ranking> ranking_;
  /// Log rates by candidate, predicted before its first start.
  std::map<std::size_t, double> predicted_;
  std::vector<double> overheads_;  // Seconds of starts beyond their steps.
};

}  // namespace feedrate
