// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/scaling_json.h"

#include <cmath>
#include <optional>
#include <ostream>

#include <nlohmann/json.hpp>

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json finite_or_null(const std::optional<double>& value) {
  return value ? finite_or_null(*value) : Json();
}

Json settings_of(const Settings& settings) {
  Json object = Json::object();
  for (const Setting& setting : settings) {
    object[setting.name] = std::visit([](const auto& value) { return Json(value); }, setting.value);
  }
  return object;
}

Json json_of(const Cluster& cluster) {
  return {{"nodes", cluster.nodes},
          {"ranks_per_node", cluster.ranks_per_node},
          {"storage_bandwidth", finite_or_null(cluster.storage_bandwidth)},
          {"storage_latency", cluster.storage_latency},
          {"metadata_rate", finite_or_null(cluster.metadata_rate)},
          {"node_bandwidth", finite_or_null(cluster.node_bandwidth)}};
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
          {"settings", settings_of(point.cell->settings)},
          {"samples_per_second", finite_or_null(point.bound.rate)},
          {"samples_per_second_at_least", finite_or_null(point.at_least)},
          {"samples_per_second_of_a_rank_alone", finite_or_null(point.own_rate)},
          {"of_linear", finite_or_null(point.efficiency(cluster.ranks_per_node))},
          {"limit", limit_text(point.bound, point.own_limit)}};
}

Json json_of(const LayoutForecast& forecast) {
  const bool is_staged = forecast.layout == Layout::kStaged;
  return {{"layout", word_of(forecast.layout)},
          {"num_workers", forecast.num_workers},
          {"samples_per_second", finite_or_null(forecast.bound.rate)},
          {"limit", limit_text(forecast.bound, forecast.own_limit)},
          {"saturates_at_nodes", finite_or_null(forecast.saturates_at)},
          {"staging_time", is_staged ? finite_or_null(forecast.staging_time) : Json()},
          {"break_even_epochs", is_staged ? finite_or_null(forecast.break_even_epochs) : Json()}};
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
          {"saturates_at_nodes", finite_or_null(answer.saturates_at)},
          {"sentence", saturation_sentence(answer, cluster)},
          {"points", std::move(points)},
          {"layouts", std::move(layouts)},
          {"recommendation", layout_sentences(answer, cluster)}};
}

}  // namespace

void write_scaling_json(std::ostream& out, const ScalingFindings& findings) {
  Json situations = Json::array();
  for (const ScalingAnswer& answer : findings.answers) {
    situations.push_back(json_of(answer, findings.question.cluster));
  }
  const Json document = {{"schema_version", kSchemaVersion},
                         {"predicted", true},
                         {"run", findings.source},
                         {"simulated", findings.run.simulated},
                         {"cores", findings.cores},
                         {"cluster", json_of(findings.question.cluster)},
                         {"situations", std::move(situations)}};
  out << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace feedrate
