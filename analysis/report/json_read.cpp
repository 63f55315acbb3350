// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/report/history_json.h"
#include "analysis/report/json.h"
#include "core/error.h"
#include "core/host/durable_file.h"
#include "core/json_node.h"

namespace feedrate {
namespace {

Outcome read_outcome(const JsonNode& node) try {
  return outcome_from_string(node.text());
} catch (const FormatError& error) {
  node.fail(error.what());
}

SettingValue read_value(const JsonNode& node) {
  if (node.json().is_boolean()) return node.flag();
  if (node.json().is_number_integer()) return node.integer();
  if (node.json().is_number()) return node.number();
  return node.text();
}

std::vector<Metric> read_metrics(const JsonNode& node) {
  std::vector<Metric> metrics;
  for (const auto& [tag, value] : node.members()) metrics.push_back({tag, value.number()});
  return metrics;
}

RankFigures read_rank(const JsonNode& node) {
  return {.rank = node.at("rank").whole(),
          .local_rank = node.at("local_rank").whole(),
          .node = node.at("node").text(),
          .cores = node.at("cores").text(),
          .numa_nodes = node.at("numa_nodes").text(),
          .device = node.at("device").text(),
          .gpu_numa_node = node.find("gpu_numa_node").text_or_empty(),
          .all_reduce = node.find("all_reduce").text_or_empty(),
          .metrics = read_metrics(node.at("metrics"))};
}

Repeat read_repeat(const JsonNode& node) {
  Repeat repeat;
  repeat.metrics = read_metrics(node.at("metrics"));
  for (const auto& [name, values] : node.at("series").members()) {
    repeat.series[name] = values.numbers();
  }
  repeat.device_step = node.find("device_step").text_or_empty();
  if (node.has("round")) repeat.round = node.at("round").whole();
  if (node.has("ranks")) {
    for (const JsonNode& rank : node.at("ranks").elements())
      repeat.ranks.push_back(read_rank(rank));
  }
  return repeat;
}

void read_origin(const JsonNode& node, CellResult& cell) {
  cell.jobid = node.find("jobid").text_or_empty();
  cell.node = node.find("node").text_or_empty();
}

CellResult read_cell(const JsonNode& node) {
  CellResult cell;
  cell.index = node.at("cell").whole();
  cell.outcome = read_outcome(node.at("outcome"));
  cell.reason = node.at("reason").text();
  cell.bottleneck = node.find("bottleneck").text_or_empty();
  read_origin(node, cell);
  cell.settings = read_settings(node.at("settings"));
  cell.metrics = read_metrics(node.at("metrics"));
  for (const JsonNode& repeat : node.at("repeats").elements()) {
    cell.repeats.push_back(read_repeat(repeat));
  }
  return cell;
}

Environment read_environment(const JsonNode& node) {
  Environment environment;
  for (const auto& [name, value] : node.at("facts").members()) {
    environment.facts.push_back({name, value.text()});
  }
  constexpr const char* kInOlderFiles = "doubts";
  environment.warnings = node.at(node.has(kInOlderFiles) ? kInOlderFiles : "warnings").texts();
  return environment;
}

RunResult read_run(const JsonNode& node) {
  RunResult run;
  run.config_name = node.at("config_name").text();
  run.question = node.at("question").text();
  run.started_at = node.at("started_at").text();
  run.command = node.at("command").text();
  // Files of before have none.
  if (node.has("overrides")) run.overrides = node.at("overrides").texts();
  if (node.has("set")) run.set = node.at("set").texts();
  run.jobid = node.at("jobid").text();
  run.simulated = node.at("simulated").flag();
  run.interrupted = node.at("interrupted").flag();
  if (node.has("tolerance")) run.tolerance = node.at("tolerance").number();
  if (node.has("sort")) run.sort = node.at("sort").text();
  run.axes = node.at("axes").texts();
  run.environment = read_environment(node.at("environment"));
  run.config_text = node.at("config_text").text();
  for (const JsonNode& cell : node.at("cells").elements()) run.cells.push_back(read_cell(cell));
  for (const char* const name : {"history", "course"}) {  // "course": its name in older files
    if (node.has(name)) run.history = read_history(node.at(name));
  }
  return run;
}

// A start is one repeat more, or the failure to make one.
void add_start(const JsonNode& node, CellResult& cell) {
  const bool is_measured = read_outcome(node.at("outcome")) == Outcome::kOk;
  const std::uint64_t repeats = node.at("repeats").whole();
  const std::uint64_t expected = cell.repeats.size() + (is_measured ? 1 : 0);
  if (repeats < expected) return;
  if (repeats > expected) {
    node.at("repeats").fail(fmt::format("is {}; must be {}", repeats, expected));
  }
  if (is_measured) cell.repeats.push_back(read_repeat(node.at("repeat")));
  cell.metrics = read_metrics(node.at("metrics"));
  cell.outcome = read_outcome(node.at("outcome"));
  cell.reason = node.at("reason").text();
  read_origin(node, cell);
}

}  // namespace

Settings read_settings(const JsonNode& node) {
  Settings settings;
  for (const auto& [name, value] : node.members()) settings.push_back({name, read_value(value)});
  return settings;
}

Repeat repeat_from_json(std::string_view text, const std::string& name) {
  return read_repeat(JsonNode(text, name));
}

Settings settings_from_json(std::string_view text, const std::string& name) {
  return read_settings(JsonNode(text, name));
}

void add_start_from_json(std::string_view line, const std::string& name, RunResult& run) {
  const JsonNode node(line, name);
  const std::uint64_t index = node.at("cell").whole();
  const auto cell = std::find_if(run.cells.begin(), run.cells.end(),
                                 [&](const CellResult& one) { return one.index == index; });
  if (cell == run.cells.end()) {
    node.at("cell").fail(fmt::format("is {}; the run has no such cell", index));
  }
  add_start(node, *cell);
}

RunResult read_run_json(const std::filesystem::path& path) {
  const JsonNode root(read_whole_file(path), path.string());
  const std::uint64_t version = root.at("schema_version").whole();
  if (version != kRunSchemaVersion) {
    root.at("schema_version")
        .fail(fmt::format("is {}; this program reads {}", version, kRunSchemaVersion));
  }
  return read_run(root);
}

}  // namespace feedrate
