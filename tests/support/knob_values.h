// SPDX-License-Identifier: Apache-2.0
// Values for tests that iterate over all knobs.
#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/plan/knobs.h"

namespace feedrate::testing {

/// Example texts of knobs that are neither a choice nor a number.
inline const std::map<std::string_view, std::string> kFreeTexts{
    {"format", "tar"},
    {"variant", "hdf5"},
    {"loader_factory", "mine:load"},
    {"environment", "A=1 B=2"},
    {"emulate", "profile.yaml"},
    {"device", "sim:h200"},
    {"steps_ms", "1 2"},
    {"shapes", "1x2x3"},
    {"step_factory", "mine:step"},
    {"forkserver_preload", "torch numpy"}};

/// Values of the knob that differ from its fallback.
inline std::vector<std::string> other_values(const Knob& knob) {
  if (knob.type == KnobType::kBool) return {knob.fallback == "true" ? "false" : "true"};
  if (knob.type != KnobType::kText) return {knob.fallback == "1" ? "2" : "1"};
  if (knob.choices.empty()) return {kFreeTexts.at(knob.name)};
  std::vector<std::string> values(knob.choices.begin(), knob.choices.end());
  std::erase(values, knob.fallback);
  return values;
}

}  // namespace feedrate::testing
