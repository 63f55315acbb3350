// SPDX-License-Identifier: Apache-2.0
// Predicts the rates of other settings of a watched loader by replay (analysis/tuner/replay.h),
// from the costs of its steps. The steps do not show two costs: whether the training needs a core
// of its own if no GPU was timed, and the work of the training thread for a batch of workers. The
// model takes the values that fit the measured cells best. The effect of the other pin_memory on
// the training comes from the cells that have it, or from the copies of the script. One thread.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "analysis/tuner/candidate.h"
#include "analysis/tuner/predictions.h"
#include "analysis/tuner/replay.h"
#include "training/watch.h"

namespace feedrate {

class InPlaceModel {
 public:
  /// REQUIRES: at least a block of steady steps
  explicit InPlaceModel(const WatchedLoader& present);

  /// One per candidate. `measured`: the cells until now, with "step_time" and "training_time".
  [[nodiscard]] std::vector<std::optional<Prediction>> predict(
      std::span<const Candidate> candidates, std::span<const CellResult> measured) const;

 private:
  struct StepCosts {
    BatchCosts batch;
    double other_pin = 0.0;  // Seconds that the training of a step takes longer with it.
  };

  [[nodiscard]] StepCosts fit(std::span<const CellResult> measured) const;
  [[nodiscard]] std::vector<StepCosts> possible(std::span<const CellResult> measured) const;
  [[nodiscard]] double other_pin(std::span<const CellResult> measured) const;
  /// Seconds that a step trains longer with these settings than with the present ones.
  [[nodiscard]] double longer_at(const StepCosts& costs, const LoopSettings& loop) const;
  [[nodiscard]] double misfit(const StepCosts& costs, std::span<const CellResult> measured) const;
  [[nodiscard]] ReplayedEpoch replay_at(const StepCosts& costs, const Settings& settings) const;

  StepCosts seen_;
  Cores cores_;
  bool pin_memory_ = false;
  double training_ = 0.0;  // Seconds a step.
  double samples_ = 0.0;   // A step.
};

}  // namespace feedrate
