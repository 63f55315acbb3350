// SPDX-License-Identifier: Apache-2.0
// The decision procedure of `feedrate tune`, with the world outside: it says what to measure next
// and is told what came of it. It measures nothing and reads no clock.
//
//   probe      a few cells that show the costs (analysis/tuner/work_groups.h)
//   replay     predict every candidate (analysis/tuner/predictions.h)
//   choose     of those within 1 % of the best the cheapest (tuner/standing.h)
//   verify     it, the runner-up and the present settings, in rounds: one fresh start of the loader
//              each, in random order, and compared within rounds
//   fall back  where a verified rate is off by more than 10 % and twice the noise: successive
//              halving of the best ten (Jamieson and Talwalkar, AISTATS 2016)
//   challenge  what could still beat it by more than the tolerance is measured beside it
//
// until the confidence is reached and every verdict is there, or nothing that fits the time is
// left. Where starts are dear (Aims::is_thrifty), it neither verifies in rounds nor falls back:
// the best is measured and challenged until it is sure, and beside the present settings at the end.
// One thread.
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

/// The rates of all candidates from what was measured, one a candidate.
using Predictor = std::function<std::vector<std::optional<Prediction>>(
    std::span<const Candidate> candidates, std::span<const CellResult> measured)>;

struct TunerOptions {
  Aims aims;
  /// Kept ones of a start, for the estimate of what it takes; fewer, but not below least_steps,
  /// where they take longer than window_seconds.
  std::size_t steps = 60;
  std::size_t least_steps = 1;
  double window_seconds = std::numeric_limits<double>::infinity();
  std::size_t most_starts = 12;  ///< of one cell
  double cores = 1.0;
  Predictor predict = {};  ///< empty: the replay, fitted to what was measured (predict_all())
};

enum class Stage { kProbe, kVerify, kHalve, kChallenge };

[[nodiscard]] const char* to_string(Stage stage) noexcept;

/// One start of a loader that is to be measured.
struct StartRequest {
  Stage stage = Stage::kProbe;
  Settings settings;
  double seconds = 0.0;  ///< what it will take, estimated; 0: nothing is known yet
  /// Of Repeat, written there by the code that measures it. Probes have none.
  std::optional<std::size_t> round = {};
};

class Tuner {
 public:
  /// `probes`: probes_for() these candidates, with the settings that the cells will have. REQUIRES:
  /// at least one candidate
  Tuner(std::vector<Candidate> candidates, std::vector<Settings> probes,
        const TunerOptions& options);

  /// What to measure next, if it fits into `seconds_left`; nothing: see decision().
  [[nodiscard]] std::optional<StartRequest> next(double seconds_left);

  /// A start was measured, or failed: the cell with all its starts so far, that one last.
  /// `seconds`: what it took; 0 where that is not known, as with results of an earlier tune.
  void add(const CellResult& cell, double seconds);

  /// Nothing before the probes allow a prediction.
  [[nodiscard]] std::optional<Decision> decision() const;

  [[nodiscard]] const std::vector<Candidate>& candidates() const { return candidates_; }
  /// Of each candidate as far as is known; 0 where nothing is.
  [[nodiscard]] std::vector<RateOf> rates() const;
  /// The same as predictions for another tuner (analysis/tuner/transferred.h); nothing of what
  /// failed.
  [[nodiscard]] std::vector<std::optional<Prediction>> predictions() const;

 private:
  [[nodiscard]] std::optional<StartRequest> next_probe() const;
  [[nodiscard]] std::optional<StartRequest> next_start();
  void begin_round();
  void begin_thrifty_round();
  [[nodiscard]] bool begin_round(Stage stage, std::vector<std::size_t> candidates);
  [[nodiscard]] std::vector<std::size_t> to_verify() const;
  [[nodiscard]] std::vector<std::size_t> to_halve();
  [[nodiscard]] bool is_well_known_beside(const std::vector<std::size_t>& challengers) const;
  [[nodiscard]] std::vector<std::size_t> to_challenge() const;
  [[nodiscard]] double seconds_for(const Settings& settings) const;
  [[nodiscard]] double course_seconds(const Settings& settings, double step_time) const;

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
  std::vector<CellResult> known_;  // Every cell that was measured or failed.
  std::vector<std::optional<Prediction>> predictions_;
  std::optional<Ranking> ranking_;
  /// Logarithms of rates by candidate, as they were predicted before its first start.
  std::map<std::size_t, double> predicted_;
  std::vector<std::size_t> fallback_;   // The best ten when the model was found to be off.
  std::vector<std::size_t> finalists_;  // Of them while the halving goes on.
  std::size_t rung_ = 1;                // Starts that each finalist is to have.
  std::vector<double> overheads_;       // Seconds of starts beyond their steps.
  Stage stage_ = Stage::kVerify;        // Of the round that goes on.
  std::size_t round_ = 0;
  std::vector<std::size_t> to_start_;  // Candidates of the round, the next one last.
  Ending ending_ = Ending::kRunning;
};

}  // namespace feedrate
