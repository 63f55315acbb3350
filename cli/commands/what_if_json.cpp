// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/what_if_json.h"

#include <cmath>
#include <optional>
#include <ostream>

#include <nlohmann/json.hpp>

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kWhatIfVersion = 1;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

template <class Value>
Json json_of(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json json_of(const Settings& settings) {
  Json object = Json::object();
  for (const Setting& setting : settings) {
    object[setting.name] = std::visit([](const auto& value) { return Json(value); }, setting.value);
  }
  return object;
}

Json json_of(const World& world) {
  return {{"gpu_speed", world.gpu_speed},
          {"cores", json_of(world.cores)},
          {"cached", json_of(world.cached)}};
}

Json json_of(const Forecast& forecast) {
  const bool is_measured = std::isfinite(forecast.today);
  return {{"cell", forecast.cell != nullptr ? Json(forecast.cell->index) : Json()},
          {"settings", json_of(forecast.settings)},
          {"samples_per_second_today", number(forecast.today)},
          {"samples_per_second_then", number(forecast.then)},
          {"samples_per_second_without_cores", number(forecast.without_cores)},
          {"limit_today", is_measured ? Json(to_string(forecast.limit_today.what)) : Json()},
          {"limit_then", to_string(forecast.limit_then.what)},
          {"stall_then", number(forecast.limit_then.stall)}};
}

Json json_of(const Answer& answer, const HeldOut& held_out, double cores) {
  Json forecasts = Json::array();
  for (const Forecast& forecast : answer.forecasts) forecasts.push_back(json_of(forecast));
  return {{"world", json_of(answer.world)},
          {"sentence", sentence(answer, held_out, cores)},
          {"gain", number(answer.gain())},
          {"gain_is_within_model_error", held_out.hides(answer.gain())},
          {"best_today", json_of(answer.forecasts[answer.best_today])},
          {"best_then", json_of(answer.forecasts[answer.best_then])},
          {"enough_cores", json_of(answer.enough_cores)},
          {"extrapolated_beyond_workers", json_of(answer.extrapolated_beyond)},
          {"forecasts", std::move(forecasts)}};
}

Json json_of(const Situation& situation, double cores) {
  Json answers = Json::array();
  for (const Answer& answer : situation.answers) {
    answers.push_back(json_of(answer, situation.held_out, cores));
  }
  return {{"situation", situation.name},
          {"loader_alone", situation.is_loader_alone},
          {"model_error_median", number(situation.held_out.median_error)},
          {"held_out_cells", situation.held_out.cells},
          {"answers", std::move(answers)}};
}

}  // namespace

void write_what_if_json(std::ostream& out, const WhatIfFindings& findings) {
  Json situations = Json::array();
  for (const Situation& situation : findings.situations) {
    situations.push_back(json_of(situation, findings.cores));
  }
  const Json document = {{"schema_version", kWhatIfVersion}, {"predicted", true},
                         {"run", findings.source},           {"simulated", findings.run.simulated},
                         {"cores", findings.cores},          {"situations", std::move(situations)}};
  out << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace feedrate
