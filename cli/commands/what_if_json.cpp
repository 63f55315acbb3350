// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/what_if_json.h"

#include <cmath>
#include <optional>
#include <ostream>

#include <nlohmann/json.hpp>

#include "analysis/report/json.h"

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kWhatIfVersion = 1;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json number(const std::optional<double>& value) { return value ? number(*value) : Json(); }

template <class Value>
Json json_of(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json json_of(const Settings& settings) { return Json::parse(settings_to_json(settings)); }

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

Json json_of(const Cluster& cluster) {
  return {{"nodes", cluster.nodes},
          {"ranks_per_node", cluster.ranks_per_node},
          {"storage_bandwidth", number(cluster.storage_bandwidth)},
          {"storage_latency", cluster.storage_latency},
          {"metadata_rate", number(cluster.metadata_rate)},
          {"node_bandwidth", number(cluster.node_bandwidth)}};
}

const char* word_of(Layout layout) {
  switch (layout) {
    case Layout::kMoreWorkers:
      return "more_workers";
    case Layout::kPacked:
      return "packed";
    case Layout::kStaged:
      return "staged";
    case Layout::kAsItIs:
      break;
  }
  return "as_it_is";
}

Json json_of(const ScalePoint& point, const Cluster& cluster) {
  return {{"nodes", point.nodes},
          {"ranks", point.nodes * cluster.ranks_per_node},
          {"cell", point.cell->index},
          {"settings", json_of(point.cell->settings)},
          {"samples_per_second", number(point.bound.rate)},
          {"samples_per_second_at_least", number(point.at_least)},
          {"samples_per_second_of_a_rank_alone", number(point.own_rate)},
          {"of_linear", number(point.efficiency(cluster.ranks_per_node))},
          {"limit", limit_text(point.bound, point.own_limit)}};
}

Json json_of(const LayoutForecast& forecast) {
  const bool is_staged = forecast.layout == Layout::kStaged;
  return {{"layout", word_of(forecast.layout)},
          {"num_workers", forecast.num_workers},
          {"samples_per_second", number(forecast.bound.rate)},
          {"limit", limit_text(forecast.bound, forecast.own_limit)},
          {"saturates_at_nodes", number(forecast.saturates_at)},
          {"staging_time", is_staged ? number(forecast.staging_time) : Json()},
          {"break_even_epochs", is_staged ? number(forecast.break_even_epochs) : Json()}};
}

Json json_of(const ScalingAnswer& answer, const Cluster& cluster) {
  Json points = Json::array();
  for (const ScalePoint& point : answer.points) points.push_back(json_of(point, cluster));
  Json layouts = Json::array();
  for (const LayoutForecast& one : answer.layouts) layouts.push_back(json_of(one));
  return {{"situation", answer.situation},
          {"sample_bytes", answer.reads.bytes},
          {"metadata_per_sample", answer.reads.metadata_operations},
          {"round_trips_per_sample", answer.reads.round_trips},
          {"saturates_at_nodes", number(answer.saturates_at)},
          {"sentence", saturation_sentence(answer, cluster)},
          {"points", std::move(points)},
          {"layouts", std::move(layouts)},
          {"recommendation", layout_sentences(answer, cluster)}};
}

void write(std::ostream& out, const Json& document) {
  out << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace

void write_what_if_json(std::ostream& out, const WhatIfFindings& findings) {
  Json situations = Json::array();
  for (const Situation& situation : findings.situations) {
    situations.push_back(json_of(situation, findings.cores));
  }
  write(out, {{"schema_version", kWhatIfVersion},
              {"predicted", true},
              {"run", findings.source},
              {"simulated", findings.run.simulated},
              {"cores", findings.cores},
              {"situations", std::move(situations)}});
}

void write_scaling_json(std::ostream& out, const ScalingFindings& findings) {
  Json situations = Json::array();
  for (const ScalingAnswer& answer : findings.answers) {
    situations.push_back(json_of(answer, findings.question.cluster));
  }
  write(out, {{"schema_version", kWhatIfVersion},
              {"predicted", true},
              {"run", findings.source},
              {"simulated", findings.run.simulated},
              {"cores", findings.cores},
              {"cluster", json_of(findings.question.cluster)},
              {"situations", std::move(situations)}});
}

}  // namespace feedrate
