// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/report/course_json.h"
#include "analysis/report/json.h"
#include "core/error.h"
#include "core/host/durable_file.h"
#include "core/parse_json.h"

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;

// A value of the file with its path, such as "cells[3].settings".
class Node {
 public:
  Node(const std::string& file, const Json& json, std::string location)
      : file_(file), json_(json), location_(std::move(location)) {}

  [[nodiscard]] Node at(const std::string& key) const {
    require(json_.is_object(), "an object");
    const auto found = json_.find(key);
    const std::string location = location_.empty() ? key : location_ + "." + key;
    if (found == json_.end()) throw FormatError(fmt::format("{}: {}: is missing", file_, location));
    return {file_, *found, location};
  }

  [[nodiscard]] bool has(const std::string& key) const { return json_.contains(key); }

  template <typename Visit>
  void for_each_element(Visit visit) const {
    require(json_.is_array(), "an array");
    for (std::size_t i = 0; i < json_.size(); ++i) {
      visit(Node(file_, json_[i], fmt::format("{}[{}]", location_, i)));
    }
  }

  template <typename Visit>
  void for_each_member(Visit visit) const {
    require(json_.is_object(), "an object");
    for (const auto& item : json_.items()) {
      visit(item.key(), Node(file_, item.value(), location_ + "." + item.key()));
    }
  }

  [[nodiscard]] std::string text() const {
    require(json_.is_string(), "a text");
    return json_.get<std::string>();
  }
  [[nodiscard]] bool flag() const {
    require(json_.is_boolean(), "true or false");
    return json_.get<bool>();
  }
  [[nodiscard]] Outcome outcome() const {
    try {
      return outcome_from_string(text());
    } catch (const FormatError& error) {
      throw FormatError(fmt::format("{}: {}: {}", file_, location_, error.what()));
    }
  }
  [[nodiscard]] std::uint64_t whole() const {
    require(json_.is_number_unsigned(), "a whole number");
    return json_.get<std::uint64_t>();
  }
  [[nodiscard]] double number() const {
    require(json_.is_number(), "a number");
    return json_.get<double>();
  }
  [[nodiscard]] double number_or_null() const {
    return json_.is_null() ? std::numeric_limits<double>::quiet_NaN() : number();
  }
  [[nodiscard]] SettingValue setting() const {
    if (json_.is_boolean()) return json_.get<bool>();
    if (json_.is_number_integer()) return json_.get<std::int64_t>();
    if (json_.is_number()) return json_.get<double>();
    return text();
  }

  [[nodiscard]] RunCourse course() const {
    return course_from_json(json_.dump(), fmt::format("{}: {}", file_, location_));
  }

  [[noreturn]] void fail(std::string_view problem) const {
    throw FormatError(fmt::format("{}: {}: {}", file_,
                                  location_.empty() ? "the whole file" : location_, problem));
  }

 private:
  void require(bool is_so, std::string_view wanted) const {
    if (!is_so) fail(fmt::format("is {}; must be {}", json_.type_name(), wanted));
  }

  const std::string& file_;
  const Json& json_;
  std::string location_;
};

std::vector<std::string> read_texts(const Node& node) {
  std::vector<std::string> texts;
  node.for_each_element([&](const Node& element) { texts.push_back(element.text()); });
  return texts;
}

std::vector<Metric> read_metrics(const Node& node) {
  std::vector<Metric> metrics;
  node.for_each_member([&](const std::string& tag, const Node& value) {
    metrics.push_back({tag, value.number()});
  });
  return metrics;
}

Settings read_settings(const Node& node) {
  Settings settings;
  node.for_each_member([&](const std::string& name, const Node& value) {
    settings.push_back({name, value.setting()});
  });
  return settings;
}

std::string text_or_none(const Node& node, const char* name) {
  return node.has(name) ? node.at(name).text() : std::string();
}

RankFigures read_rank(const Node& node) {
  return {.rank = node.at("rank").whole(),
          .local_rank = node.at("local_rank").whole(),
          .node = node.at("node").text(),
          .cores = node.at("cores").text(),
          .numa_nodes = node.at("numa_nodes").text(),
          .device = node.at("device").text(),
          .gpu_numa_node = text_or_none(node, "gpu_numa_node"),
          .all_reduce = text_or_none(node, "all_reduce"),
          .metrics = read_metrics(node.at("metrics"))};
}

Repeat read_repeat(const Node& node) {
  Repeat repeat;
  repeat.metrics = read_metrics(node.at("metrics"));
  node.at("series").for_each_member([&](const std::string& name, const Node& values) {
    std::vector<double>& series = repeat.series[name];
    values.for_each_element([&](const Node& value) { series.push_back(value.number_or_null()); });
  });
  repeat.device_step = text_or_none(node, "device_step");
  if (node.has("round")) repeat.round = node.at("round").whole();
  if (node.has("ranks")) {
    node.at("ranks").for_each_element(
        [&](const Node& rank) { repeat.ranks.push_back(read_rank(rank)); });
  }
  return repeat;
}

void read_origin(const Node& node, CellResult& cell) {
  cell.jobid = text_or_none(node, "jobid");
  cell.node = text_or_none(node, "node");
}

CellResult read_cell(const Node& node) {
  CellResult cell;
  cell.index = node.at("cell").whole();
  cell.outcome = node.at("outcome").outcome();
  cell.reason = node.at("reason").text();
  cell.bottleneck = text_or_none(node, "bottleneck");
  read_origin(node, cell);
  cell.settings = read_settings(node.at("settings"));
  cell.metrics = read_metrics(node.at("metrics"));
  node.at("repeats").for_each_element(
      [&](const Node& repeat) { cell.repeats.push_back(read_repeat(repeat)); });
  return cell;
}

Environment read_environment(const Node& node) {
  Environment environment;
  node.at("facts").for_each_member([&](const std::string& name, const Node& value) {
    environment.facts.push_back({name, value.text()});
  });
  environment.warnings = read_texts(node.at("doubts"));
  return environment;
}

RunResult read_run(const Node& node) {
  RunResult run;
  run.config_name = node.at("config_name").text();
  run.question = node.at("question").text();
  run.started_at = node.at("started_at").text();
  run.command = node.at("command").text();
  // Old files lack these.
  if (node.has("overrides")) run.overrides = read_texts(node.at("overrides"));
  if (node.has("set")) run.set = read_texts(node.at("set"));
  run.jobid = node.at("jobid").text();
  run.simulated = node.at("simulated").flag();
  run.interrupted = node.at("interrupted").flag();
  if (node.has("tolerance")) run.tolerance = node.at("tolerance").number();
  if (node.has("sort")) run.sort = node.at("sort").text();
  run.axes = read_texts(node.at("axes"));
  run.environment = read_environment(node.at("environment"));
  run.config_text = node.at("config_text").text();
  node.at("cells").for_each_element(
      [&](const Node& cell) { run.cells.push_back(read_cell(cell)); });
  if (node.has("course")) run.course = node.at("course").course();
  return run;
}

void add_start(const Node& node, CellResult& cell) {
  const bool is_measured = node.at("outcome").outcome() == Outcome::kOk;
  const std::uint64_t repeats = node.at("repeats").whole();
  const std::uint64_t expected = cell.repeats.size() + (is_measured ? 1 : 0);
  if (repeats < expected) return;
  if (repeats > expected) {
    node.at("repeats").fail(fmt::format("is {}; must be {}", repeats, expected));
  }
  if (is_measured) cell.repeats.push_back(read_repeat(node.at("repeat")));
  cell.metrics = read_metrics(node.at("metrics"));
  cell.outcome = node.at("outcome").outcome();
  cell.reason = node.at("reason").text();
  read_origin(node, cell);
}

}  // namespace

Repeat repeat_from_json(std::string_view text, const std::string& location) {
  const Json document = parse_json<Json>(text, location);
  return read_repeat(Node(location, document, ""));
}

Settings settings_from_json(std::string_view text, const std::string& location) {
  const Json document = parse_json<Json>(text, location);
  return read_settings(Node(location, document, ""));
}

void add_start_from_json(std::string_view line, const std::string& location, RunResult& run) {
  const Json document = parse_json<Json>(line, location);
  const Node node(location, document, "");
  const std::uint64_t index = node.at("cell").whole();
  const auto cell = std::find_if(run.cells.begin(), run.cells.end(),
                                 [&](const CellResult& one) { return one.index == index; });
  if (cell == run.cells.end()) {
    node.at("cell").fail(fmt::format("is {}; the run has no such cell", index));
  }
  add_start(node, *cell);
}

RunResult read_run_json(const std::filesystem::path& path) {
  const std::string file = path.string();
  const Json document = parse_json<Json>(read_whole_file(path), file);
  const Node root(file, document, "");
  const std::uint64_t version = root.at("schema_version").whole();
  if (version != kRunSchemaVersion) {
    throw FormatError(fmt::format("{}: schema_version: is {}; this program reads {}", file, version,
                                  kRunSchemaVersion));
  }
  return read_run(root);
}

}  // namespace feedrate
