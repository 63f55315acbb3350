// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <ostream>
#include <variant>

#include <nlohmann/json.hpp>

#include "analysis/report/history_json.h"
#include "analysis/report/json.h"

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;

// Texts may contain invalid UTF-8; a result must never be lost for that.
std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json to_json(const Settings& settings) {
  Json object = Json::object();
  for (const Setting& setting : settings) {
    std::visit([&](const auto& value) { object[setting.name] = value; }, setting.value);
  }
  return object;
}

Json to_json(const std::vector<Metric>& metrics) {
  Json object = Json::object();
  for (const Metric& metric : metrics) {
    if (std::isfinite(metric.value)) object[metric.tag] = metric.value;
  }
  return object;
}

Json to_json(const RankFigures& rank) {
  return {{"rank", rank.rank},
          {"local_rank", rank.local_rank},
          {"node", rank.node},
          {"cores", rank.cores},
          {"numa_nodes", rank.numa_nodes},
          {"device", rank.device},
          {"gpu_numa_node", rank.gpu_numa_node},
          {"all_reduce", rank.all_reduce},
          {"metrics", to_json(rank.metrics)}};
}

Json to_json(const Repeat& repeat) {
  Json series = Json::object();
  for (const auto& [name, values] : repeat.series) series[name] = values;
  Json object{{"metrics", to_json(repeat.metrics)}, {"series", series}};
  if (!repeat.device_step.empty()) object["device_step"] = repeat.device_step;
  if (repeat.round) object["round"] = *repeat.round;
  for (const RankFigures& rank : repeat.ranks) object["ranks"].push_back(to_json(rank));
  return object;
}

Json to_json(const CellResult& cell) {
  Json repeats = Json::array();
  for (const Repeat& repeat : cell.repeats) repeats.push_back(to_json(repeat));
  return {{"cell", cell.index},
          {"outcome", to_string(cell.outcome)},
          {"reason", cell.reason},
          {"bottleneck", cell.bottleneck},
          {"jobid", cell.jobid},
          {"node", cell.node},
          {"settings", to_json(cell.settings)},
          {"metrics", to_json(cell.metrics)},
          {"repeats", repeats}};
}

Json to_json(const Environment& environment) {
  Json facts = Json::object();
  for (const Fact& fact : environment.facts) facts[fact.name] = fact.value;
  return {{"facts", facts}, {"warnings", environment.warnings}};
}

Json heading(const RunResult& run) {
  return {{"schema_version", kRunSchemaVersion},
          {"config_name", run.config_name},
          {"question", run.question},
          {"started_at", run.started_at},
          {"command", run.command},
          {"overrides", run.overrides},
          {"set", run.set},
          {"jobid", run.jobid},
          {"simulated", run.simulated},
          {"interrupted", run.interrupted},
          {"tolerance", run.tolerance},
          {"sort", run.sort},
          {"axes", run.axes},
          {"environment", to_json(run.environment)},
          {"config_text", run.config_text}};
}

}  // namespace

void write_run_json(std::ostream& out, const RunResult& run) {
  // Indented raw timings would take thousands of lines, so each cell is dumped on one line.
  const std::string head = dump(heading(run), 2);
  out << head.substr(0, head.size() - 2) << ",\n  \"cells\": [";
  for (const CellResult& cell : run.cells) {
    out << (&cell == &run.cells.front() ? "\n    " : ",\n    ") << dump(to_json(cell), -1);
  }
  out << "\n  ]";
  if (run.history) out << ",\n  \"history\": " << history_to_json(*run.history);
  out << "\n}\n";
}

std::string repeat_to_json(const Repeat& repeat) { return dump(to_json(repeat), -1); }

std::string settings_to_json(const Settings& settings) { return dump(to_json(settings), -1); }

std::string start_to_json(const CellResult& cell) {
  const bool is_measured = cell.outcome == Outcome::kOk;
  return dump({{"cell", cell.index},
               {"repeats", cell.repeats.size()},
               {"outcome", to_string(cell.outcome)},
               {"reason", cell.reason},
               {"jobid", cell.jobid},
               {"node", cell.node},
               {"metrics", to_json(cell.metrics)},
               {"repeat", is_measured ? to_json(cell.repeats.back()) : Json()}},
              -1) +
         '\n';
}

}  // namespace feedrate
