// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "analysis/report/effects_print.h"

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const RateRatio& ratio) {
  const bool is_known = has_interval(ratio);
  return {{"ratio", ratio.ratio},
          {"low", is_known ? Json(ratio.low) : Json(nullptr)},
          {"high", is_known ? Json(ratio.high) : Json(nullptr)}};
}

Json to_json(const Interaction& one) {
  Json effects = Json::array();
  for (const ConditionalEffect& effect : one.effects) {
    effects.push_back(
        {{"value", effect.value}, {"pairs", effect.pairs}, {"gain", to_json(effect.gain)}});
  }
  return {{"setting", one.setting}, {"spread", one.spread}, {"beside", effects}};
}

Json to_json(const Effect& effect) {
  Json interactions = Json::array();
  for (const Interaction& one : effect.interactions) interactions.push_back(to_json(one));
  return {{"setting", effect.setting},     {"value", effect.value},
          {"reference", effect.reference}, {"pairs", effect.pairs},
          {"gain", to_json(effect.gain)},  {"interactions", interactions}};
}

}  // namespace

std::string effects_to_json(std::span<const Effect> effects) {
  Json rows = Json::array();
  for (const Effect& effect : effects) rows.push_back(to_json(effect));
  return Json{{"schema_version", 1}, {"effects", rows}}.dump(2) + '\n';
}

}  // namespace feedrate
