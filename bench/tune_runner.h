// SPDX-License-Identifier: Apache-2.0
// Measures what the tuner asks for until it is done, the budget is used up, or a stop is requested.
// If PyTorch's DataLoader verifies, one tuner explores, and a second one verifies the candidates
// with the knowledge of the first. One thread.
#pragma once
#include <functional>
#include <optional>
#include <stop_token>

#include "analysis/tuner/tuner.h"
#include "bench/engines/engine.h"
#include "bench/plan/config.h"
#include "bench/plan/memory_guard.h"
#include "bench/tune_cells.h"
#include "core/clock.h"
#include "core/result.h"

namespace feedrate {

/// Passed to the events, on the runner's thread.
struct TuneStep {
  const StartRequest& request;
  CellResult& cell;
  const Tuner& tuner;
  double seconds_left = 0.0;  ///< of the budget
};

struct TuneEvents {
  std::function<void(const TuneStep&)> on_begin;
  std::function<void(const TuneStep&)> on_end;  ///< results may be saved here
  std::function<void()> on_verify;              ///< the following starts verify
};

class TuneRunner {
 public:
  /// Takes the measured and failed cells of `run`, which has all of `cells`, as known. All
  /// arguments must outlive it. `goals` without the present settings and the seed, which are of
  /// `cells` and `config`.
  TuneRunner(const SweepConfig& config, const TuneCells& cells, const MemoryGuard& guard,
             const TuneGoals& goals, double budget_seconds, RunResult& run, TuneEvents events);

  /// Sets run.interrupted once `stop` is requested. Throws as measure_start() and the events do.
  void run(CellEngine& engine, const std::stop_token& stop);

  /// The tuner that has the answer: the one that verifies, if it could decide.
  [[nodiscard]] const Tuner& tuner() const {
    return verifier_ && verifier_->decision() ? *verifier_ : explorer_;
  }

 private:
  [[nodiscard]] bool verifies() const { return !cells_.finalists.empty(); }
  [[nodiscard]] TunerOptions options_for(std::optional<std::size_t> present) const;
  [[nodiscard]] double left() const;
  [[nodiscard]] double left_to_explore() const;
  void take_known(Tuner& tuner, bool only_pytorch);
  void begin_verifying();
  void pursue(Tuner& tuner, CellEngine& engine, const std::function<double()>& left,
              const std::stop_token& stop);
  void measure(Tuner& tuner, const StartRequest& request, CellEngine& engine,
               const std::stop_token& stop);

  const SweepConfig& config_;
  const TuneCells& cells_;
  const MemoryGuard& guard_;
  const TuneGoals goals_;
  const double budget_;
  RunResult& run_;
  const TuneEvents events_;
  SteadyClock clock_;
  Nanos begin_{};
  Tuner explorer_;
  std::optional<Tuner> verifier_;
};

/// Adds the measured and failed cells of an earlier tune to those of `run`.
void take_earlier_cells(RunResult& run, const RunResult& earlier);

}  // namespace feedrate
