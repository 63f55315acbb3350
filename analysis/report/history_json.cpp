// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/history_json.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "analysis/report/json.h"

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

std::optional<double> optional_number(const JsonNode& value) {
  return value.is_null() ? std::nullopt : std::optional(value.number());
}

template <typename Value>
Json column(const std::vector<HistoryPoint>& points, Value value) {
  Json values = Json::array();
  for (const HistoryPoint& point : points) values.push_back(value(point));
  return values;
}

Json to_json(const std::vector<HistoryPoint>& points) {
  const auto idle = [](const HistoryPoint& p) { return number_or_null(p.times.gpu_idle); };
  return {{"begin", column(points, [](const HistoryPoint& p) { return p.begin; })},
          {"end", column(points, [](const HistoryPoint& p) { return p.end; })},
          {"loading", column(points, [](const HistoryPoint& p) { return p.times.loading; })},
          {"training", column(points, [](const HistoryPoint& p) { return p.times.training; })},
          {"gpu_idle", column(points, idle)}};
}

std::vector<HistoryPoint> read_points(const JsonNode& node) {
  const std::vector<double> begin = node.at("begin").numbers();
  const auto values = [&](const char* name) {
    std::vector<double> column = node.at(name).numbers();
    if (column.size() != begin.size()) node.at(name).fail("must be as long as begin");
    return column;
  };
  const std::vector<double> end = values("end"), loading = values("loading"),
                            training = values("training"), idle = values("gpu_idle");
  std::vector<HistoryPoint> points;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    const auto gpu_idle = std::isnan(idle[i]) ? std::nullopt : std::optional(idle[i]);
    points.push_back({begin[i], end[i], {loading[i], training[i], gpu_idle}});
  }
  return points;
}

Json to_json(const HistorySegment& segment) {
  const auto time = [&](double HistoryTimes::*member) {
    return segment.times ? Json((*segment.times).*member) : Json();
  };
  return {{"begin", segment.begin},
          {"end", segment.end},
          {"use", to_string(segment.use)},
          {"steps", segment.steps},
          {"loading", time(&HistoryTimes::loading)},
          {"training", time(&HistoryTimes::training)},
          {"gpu_idle", segment.times ? number_or_null(segment.times->gpu_idle) : Json()},
          {"samples_per_second", number_or_null(segment.samples_per_second)},
          {"problem", segment.problem},
          {"settings", Json::parse(settings_to_json(segment.settings))}};
}

SegmentUse read_use(const JsonNode& node) {
  if (const std::optional<SegmentUse> use = segment_use_from_string(node.text())) return *use;
  node.fail("must be own, trial or kept");
}

HistorySegment read_segment(const JsonNode& node) {
  HistorySegment segment;
  segment.begin = node.at("begin").number();
  segment.end = node.at("end").number();
  segment.use = read_use(node.at("use"));
  segment.steps = node.at("steps").whole();
  if (!node.at("loading").is_null()) {
    segment.times = {node.at("loading").number(), node.at("training").number(),
                     optional_number(node.at("gpu_idle"))};
  }
  segment.samples_per_second = optional_number(node.at("samples_per_second"));
  segment.problem = node.at("problem").text();
  segment.settings = read_settings(node.at("settings"));
  return segment;
}

Json to_json(const LoaderHistory& loader) {
  Json segments = Json::array(), epochs = Json::array();
  for (const HistorySegment& segment : loader.segments) segments.push_back(to_json(segment));
  for (const HistoryEpoch& epoch : loader.epochs)
    epochs.push_back({epoch.begin, epoch.first_batch});
  return {{"loader", loader.loader},
          {"segments", segments},
          {"epochs", epochs},
          {"points", to_json(loader.points)}};
}

LoaderHistory read_loader(const JsonNode& node) {
  LoaderHistory loader;
  loader.loader = node.at("loader").text();
  for (const JsonNode& segment : node.at("segments").elements()) {
    loader.segments.push_back(read_segment(segment));
  }
  for (const JsonNode& epoch : node.at("epochs").elements()) {
    const std::vector<double> times = epoch.numbers();
    if (times.size() != 2) epoch.fail("must be two times");
    loader.epochs.push_back({times[0], times[1]});
  }
  loader.points = read_points(node.at("points"));
  if (loader.segments.empty() || loader.points.empty()) node.fail("has no segment or no point");
  return loader;
}

}  // namespace

std::string history_to_json(const RunHistory& history) {
  Json loaders = Json::array();
  for (const LoaderHistory& loader : history.loaders) loaders.push_back(to_json(loader));
  return Json{{"verdict", history.verdict}, {"loaders", loaders}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

RunHistory read_history(const JsonNode& node) {
  RunHistory history;
  history.verdict = node.at("verdict").texts();
  for (const JsonNode& loader : node.at("loaders").elements()) {
    history.loaders.push_back(read_loader(loader));
  }
  return history;
}

}  // namespace feedrate
