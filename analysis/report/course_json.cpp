// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/course_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/report/json.h"
#include "core/error.h"
#include "core/parse_json.h"

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

std::optional<double> optional_number(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
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

CourseTimes times_from(const Json& loading, const Json& training, const Json& gpu_idle) {
  return {loading.get<double>(), training.get<double>(), optional_number(gpu_idle)};
}

std::vector<CoursePoint> points_from(const Json& json) {
  std::vector<CoursePoint> points;
  for (std::size_t i = 0; i < json.at("begin").size(); ++i) {
    const auto at = [&](const char* name) -> const Json& { return json.at(name).at(i); };
    points.push_back({at("begin").get<double>(), at("end").get<double>(),
                      times_from(at("loading"), at("training"), at("gpu_idle"))});
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

SegmentUse use_from(const std::string& word, const std::string& location) {
  if (const std::optional<SegmentUse> use = segment_use_from_string(word)) return *use;
  throw FormatError(
      fmt::format("{}.segments.use: is {}; must be own, trial or kept", location, word));
}

std::size_t count_from(const Json& json, const std::string& location) {
  if (json.is_number_unsigned()) return json.get<std::size_t>();
  throw FormatError(fmt::format("{}.segments.steps: must be a whole number", location));
}

CourseSegment segment_from(const Json& json, const std::string& location) {
  CourseSegment segment;
  segment.begin = json.at("begin").get<double>();
  segment.end = json.at("end").get<double>();
  segment.use = use_from(json.at("use").get<std::string>(), location);
  segment.steps = count_from(json.at("steps"), location);
  if (!json.at("loading").is_null()) {
    segment.times = times_from(json.at("loading"), json.at("training"), json.at("gpu_idle"));
  }
  segment.samples_per_second = optional_number(json.at("samples_per_second"));
  segment.problem = json.at("problem").get<std::string>();
  segment.settings =
      settings_from_json(json.at("settings").dump(), location + ".segments.settings");
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

LoaderCourse loader_from(const Json& json, const std::string& location) {
  LoaderCourse loader;
  loader.loader = json.at("loader").get<std::string>();
  for (const Json& segment : json.at("segments")) {
    loader.segments.push_back(segment_from(segment, location));
  }
  for (const Json& epoch : json.at("epochs")) {
    loader.epochs.push_back({epoch.at(0).get<double>(), epoch.at(1).get<double>()});
  }
  loader.points = points_from(json.at("points"));
  if (loader.segments.empty() || loader.points.empty()) {
    throw FormatError(fmt::format("{}: a loader has no segment or no point", location));
  }
  return loader;
}

}  // namespace

std::string course_to_json(const RunCourse& course) {
  Json loaders = Json::array();
  for (const LoaderCourse& loader : course.loaders) loaders.push_back(to_json(loader));
  return Json{{"verdict", course.verdict}, {"loaders", loaders}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

RunCourse course_from_json(std::string_view text, const std::string& location) try {
  const Json json = parse_json<Json>(text, location);
  RunCourse course;
  course.verdict = json.at("verdict").get<std::vector<std::string>>();
  for (const Json& loader : json.at("loaders")) {
    course.loaders.push_back(loader_from(loader, location));
  }
  return course;
} catch (const Json::exception& error) {
  throw FormatError(fmt::format("{}: {}", location, error.what()));
}

}  // namespace feedrate
