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
// until the confidence is reached with all verdicts, or no further start fits the time. What is
// known is in the evidence (analysis/tuner/evidence.h); a policy (analysis/tuner/start_policy.h)
// chooses the starts after the probes.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "analysis/tuner/evidence.h"
#include "analysis/tuner/start_policy.h"

namespace feedrate {

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
  Tuner(std::vector<Candidate> candidates, std::vector<Settings> probes, TunerOptions options,
        std::unique_ptr<StartPolicy> policy = make_round_policy());

  /// The next start, if it fits into `seconds_left`; empty: see decision().
  [[nodiscard]] std::optional<StartRequest> next(double seconds_left);

  /// Adds a measured or failed start: the cell with all its starts, that one last. `seconds`: its
  /// time; 0 if unknown, as with results of an earlier tune.
  void add(const CellResult& cell, double seconds);

  /// Empty before the probes allow a prediction.
  [[nodiscard]] std::optional<Decision> decision() const;

  [[nodiscard]] const std::vector<Candidate>& candidates() const { return evidence_.candidates(); }
  [[nodiscard]] std::vector<RateOf> rates() const { return evidence_.rates(); }
  [[nodiscard]] std::vector<std::optional<Prediction>> predictions() const {
    return evidence_.predictions();
  }

 private:
  [[nodiscard]] std::optional<StartRequest> next_start();
  void begin_round();
  [[nodiscard]] Rival rival(std::size_t candidate) const;

  TuneEvidence evidence_;
  std::unique_ptr<StartPolicy> policy_;
  Stage stage_ = Stage::kVerify;  // Of the current round.
  std::size_t round_ = 0;
  std::vector<std::size_t> to_start_;  // Candidates of the round, the next one last.
  Ending ending_ = Ending::kRunning;
};

}  // namespace feedrate
