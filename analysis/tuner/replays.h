// SPDX-License-Identifier: Apache-2.0
// A fitted model with the answers that it gave before: cells of a run often differ in what the
// replay does not know. One thread.
#pragma once
#include <map>
#include <utility>

#include "analysis/tuner/changed_world.h"

namespace feedrate {

class Replays {
 public:
  explicit Replays(FittedModel model) : model_(std::move(model)) {}

  [[nodiscard]] const FittedModel& model() const { return model_; }
  /// As predict().
  [[nodiscard]] double step_time(const LoopSettings& settings);
  /// As rate_in().
  [[nodiscard]] double rate(const Settings& settings);
  /// As limit_in().
  [[nodiscard]] StepLimit limit(const LoopSettings& settings);

 private:
  FittedModel model_;
  std::map<LoopSettings, double> step_times_;
  std::map<LoopSettings, StepLimit> limits_;
};

}  // namespace feedrate
