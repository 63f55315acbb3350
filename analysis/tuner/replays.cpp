// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/replays.h"

#include "analysis/noise.h"
#include "analysis/tuner/settings.h"

namespace feedrate {

double Replays::step_time(const LoopSettings& settings) {
  const auto [found, is_new] = step_times_.try_emplace(settings);
  if (is_new) found->second = predict(model_, settings).step_time;
  return found->second;
}

double Replays::rate(const Settings& settings) {
  return global_batch_size(settings) / step_time(loop_settings(settings));
}

StepLimit Replays::limit(const LoopSettings& settings) {
  const auto [found, is_new] = limits_.try_emplace(settings);
  if (is_new) found->second = limit_in(model_, settings);
  return found->second;
}

}  // namespace feedrate
