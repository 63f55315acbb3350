// SPDX-License-Identifier: Apache-2.0
// What other settings of a watched loader would reach, by the replay (tuner/replay.h) at the costs
// that its steps have shown. Two costs are not seen in them: whether the training needs a core of
// its own, where no GPU was timed, and what the training thread does for a batch of workers. Of
// their possible values those count that fit best to what was measured so far. One thread.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "training/watch.h"
#include "tuner/candidate.h"
#include "tuner/predictions.h"
#include "tuner/replay.h"

namespace feedrate {

class InPlaceModel {
 public:
  /// REQUIRES: at least a turn of kept steps
  explicit InPlaceModel(const WatchedLoader& present);

  /// One a candidate. `measured`: the cells so far, with "step_time".
  [[nodiscard]] std::vector<std::optional<Prediction>> predict(
      std::span<const Candidate> candidates, std::span<const CellResult> measured) const;

 private:
  [[nodiscard]] BatchCosts fit(std::span<const CellResult> measured) const;
  [[nodiscard]] std::vector<BatchCosts> possible(std::span<const CellResult> measured) const;
  [[nodiscard]] double misfit(const BatchCosts& costs, std::span<const CellResult> measured) const;
  [[nodiscard]] ReplayedEpoch replay_at(const BatchCosts& costs, const Settings& settings) const;

  BatchCosts seen_;
  Cores cores_;
  double training_ = 0.0;  // Seconds a step.
  double samples_ = 0.0;   // A step.
};

}  // namespace feedrate
