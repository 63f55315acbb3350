// SPDX-License-Identifier: Apache-2.0
// Caches the replays of a fitted model: cells of a run often differ only in settings that the
// replay ignores. One thread.
#pragma once
#include <map>
#include <utility>

#include "analysis/tuner/changed_world.h"

namespace feedrate {

class Replays {
 public:
  explicit Replays(FittedModel model) : model_(std::move(model)) {}

  [[nodiscard]] const FittedModel& model() const { return model_; }
  [[nodiscard]] double step_time(const LoopSettings& settings);
  [[nodiscard]] double rate(const Settings& settings);
  [[nodiscard]] StepLimit limit(const LoopSettings& settings);

 private:
  FittedModel model_;
  std::map<LoopSettings, double> step_times_;
  std::map<LoopSettings, StepLimit> limits_;
};

}  // namespace feedrate
