// SPDX-License-Identifier: Apache-2.0
// The decision procedure of `feedrate tune`: it names the next start and takes its result. It
// measures nothing and reads no clock. One thread.
//
//   probe      a few cells that show the costs (analysis/tuner/work_groups.h)
//   replay     predict every candidate (analysis/tuner/predictions.h)
//   choose     the cheapest within 1 % of the best (analysis/tuner/ranking.h)
//   verify     it, the runner-up and the present settings, in rounds: one fresh start of the loader
//              each, in random order, and compared within rounds
//   fall back  after an error of a verified rate above 10 % plus twice the noise: successive
//              halving of the best ten (Jamieson and Talwalkar, AISTATS 2016)
//   challenge  measure candidates that could still beat it by more than the tolerance
//
// until the confidence is reached with all verdicts, or no further start fits the time. If starts
// are expensive (is_thrifty), the tuner neither verifies in rounds nor falls back: it measures and
// challenges the best until it is sure, and compares it with the present settings at the end.
#pragma once
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "analysis/tuner/decision.h"
#include "analysis/tuner/ranking.h"

namespace feedrate {

/// Predicts the rates of all candidates from the measured cells, one per candidate.
using Predictor = std::function<std::vector<std::optional<Prediction>>(
    std::span<const Candidate> candidates, std::span<const CellResult> measured)>;

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

enum class Stage { kProbe, kVerify, kHalve, kChallenge };

[[nodiscard]] const char* to_string(Stage stage) noexcept;

/// A loader start to measure.
struct StartRequest {
  Stage stage = Stage::kProbe;
  Settings settings;
  double seconds = 0.0;  ///< estimated time; 0: unknown
  /// The value for Repeat::round. Probes have none.
  std::optional<std::size_t> round = {};
};

class Tuner {
 public:
  /// `probes`: probes_for() these candidates, as the cells will have them. REQUIRES: at least one
  /// candidate
  Tuner(std::vector<Candidate> candidates, std::vector<Settings> probes,
        const TunerOptions& options);

  /// The next start, if it fits into `seconds_left`; empty: see decision().
  [[nodiscard]] std::optional<StartRequest> next(double seconds_left);

  /// Adds a measured or failed start: the cell with all its starts, that one last. `seconds`: its
  /// time; 0 if unknown, as with results of an earlier tune.
  void add(const CellResult& cell, double seconds);

  /// Empty before the probes allow a prediction.
  [[nodiscard]] std::optional<Decision> decision() const;

  [[nodiscard]] const std::vector<Candidate>& candidates() const { return candidates_; }
  /// One per candidate; 0 if unknown.
  [[nodiscard]] std::vector<RateOf> rates() const;
  /// The rates as predictions for another tuner (analysis/tuner/transferred.h); empty for failed
  /// candidates.
  [[nodiscard]] std::vector<std::optional<Prediction>> predictions() const;

 private:
  [[nodiscard]] std::optional<StartRequest> next_probe() const;
  [[nodiscard]] std::optional<StartRequest> next_start();
  void begin_round();
  void begin_thrifty_round();
  [[nodiscard]] bool begin_round(Stage stage, std::vector<std::size_t> candidates);
  [[nodiscard]] std::vector<std::size_t> to_verify() const;
  [[nodiscard]] std::vector<std::size_t> to_halve();
  [[nodiscard]] bool has_more_starts_than(const std::vector<std::size_t>& challengers) const;
  [[nodiscard]] std::vector<std::size_t> to_challenge() const;
  [[nodiscard]] double seconds_for(const Settings& settings) const;
  [[nodiscard]] double epoch_seconds(const Settings& settings, double step_time) const;

  void note_prediction(const CellResult& cell);
  [[nodiscard]] std::vector<PredictionError> errors() const;
  void fall_back_if_off(const CellResult& cell);
  void note_round(const CellResult& cell);
  [[nodiscard]] std::vector<std::optional<Prediction>> predict() const;
  void note_seconds(const CellResult& cell, double seconds);
  [[nodiscard]] std::optional<std::size_t> candidate_with(const Settings& settings) const;
  [[nodiscard]] bool is_probe(const Settings& settings) const;
  [[nodiscard]] bool may_start(std::size_t candidate) const;
  [[nodiscard]] bool is_sure() const;
  [[nodiscard]] bool is_settled(std::size_t rival) const;
  [[nodiscard]] bool is_decided() const;
  [[nodiscard]] std::vector<std::size_t> rivals() const;
  [[nodiscard]] RateOf rate_of(std::size_t candidate) const;
  [[nodiscard]] RatioVerdict thrifty_verdict_on(std::size_t rival) const;
  [[nodiscard]] RatioVerdict verdict_on(std::size_t rival) const;
  [[nodiscard]] Rival rival(std::size_t candidate) const;

  std::vector<Candidate> candidates_;
  std::vector<Settings> probes_;
  TunerOptions options_;
  std::vector<CellResult> known_;  // Measured and failed cells.
  std::vector<std::optional<Prediction>> predictions_;
  std::optional<Ranking> ranking_;
  /// Log rates by candidate, predicted before its first start.
  std::map<std::size_t, double> predicted_;
  std::vector<std::size_t> fallback_;   // The best ten by prediction after a large error.
  std::vector<std::size_t> finalists_;  // Those left in the halving.
  std::size_t rung_ = 1;                // Starts that each finalist needs.
  std::vector<double> overheads_;       // Seconds of starts beyond their steps.
  Stage stage_ = Stage::kVerify;        // Of the current round.
  std::size_t round_ = 0;
  std::vector<std::size_t> to_start_;  // Candidates of the round, the next one last.
  Ending ending_ = Ending::kRunning;
};

}  // namespace feedrate
