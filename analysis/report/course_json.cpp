// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/course_json.h"

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
Json column(const std::vector<CoursePoint>& points, Value value) {
  Json values = Json::array();
  for (const CoursePoint& point : points) values.push_back(value(point));
  return values;
}

Json to_json(const std::vector<CoursePoint>& points) {
  const auto idle = [](const CoursePoint& p) { return number_or_null(p.times.gpu_idle); };
  return {{"begin", column(points, [](const CoursePoint& p) { return p.begin; })},
          {"end", column(points, [](const CoursePoint& p) { return p.end; })},
          {"loading", column(points, [](const CoursePoint& p) { return p.times.loading; })},
          {"training", column(points, [](const CoursePoint& p) { return p.times.training; })},
          {"gpu_idle", column(points, idle)}};
}

std::vector<CoursePoint> read_points(const JsonNode& node) {
  const std::vector<double> begin = node.at("begin").numbers();
  const auto values = [&](const char* name) {
    std::vector<double> column = node.at(name).numbers();
    if (column.size() != begin.size()) node.at(name).fail("must be as long as begin");
    return column;
  };
  const std::vector<double> end = values("end"), loading = values("loading"),
                            training = values("training"), idle = values("gpu_idle");
  std::vector<CoursePoint> points;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    const auto gpu_idle = std::isnan(idle[i]) ? std::nullopt : std::optional(idle[i]);
    points.push_back({begin[i], end[i], {loading[i], training[i], gpu_idle}});
  }
  return points;
}

Json to_json(const CourseSegment& segment) {
  const auto time = [&](double CourseTimes::*member) {
    return segment.times ? Json((*segment.times).*member) : Json();
  };
  return {{"begin", segment.begin},
          {"end", segment.end},
          {"use", to_string(segment.use)},
          {"steps", segment.steps},
          {"loading", time(&CourseTimes::loading)},
          {"training", time(&CourseTimes::training)},
          {"gpu_idle", segment.times ? number_or_null(segment.times->gpu_idle) : Json()},
          {"samples_per_second", number_or_null(segment.samples_per_second)},
          {"problem", segment.problem},
          {"settings", Json::parse(settings_to_json(segment.settings))}};
}

SegmentUse read_use(const JsonNode& node) {
  if (const std::optional<SegmentUse> use = segment_use_from_string(node.text())) return *use;
  node.fail("must be own, trial or kept");
}

CourseSegment read_segment(const JsonNode& node) {
  CourseSegment segment;
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

Json to_json(const LoaderCourse& loader) {
  Json segments = Json::array(), epochs = Json::array();
  for (const CourseSegment& segment : loader.segments) segments.push_back(to_json(segment));
  for (const CourseEpoch& epoch : loader.epochs) epochs.push_back({epoch.begin, epoch.first_batch});
  return {{"loader", loader.loader},
          {"segments", segments},
          {"epochs", epochs},
          {"points", to_json(loader.points)}};
}

LoaderCourse read_loader(const JsonNode& node) {
  LoaderCourse loader;
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

std::string course_to_json(const RunCourse& course) {
  Json loaders = Json::array();
  for (const LoaderCourse& loader : course.loaders) loaders.push_back(to_json(loader));
  return Json{{"verdict", course.verdict}, {"loaders", loaders}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

RunCourse read_course(const JsonNode& node) {
  RunCourse course;
  course.verdict = node.at("verdict").texts();
  for (const JsonNode& loader : node.at("loaders").elements()) {
    course.loaders.push_back(read_loader(loader));
  }
  return course;
}

}  // namespace feedrate
