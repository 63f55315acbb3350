// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include <nlohmann/json.hpp>

#include "analysis/report/compare_print.h"

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kComparisonSchemaVersion = 1;

Json to_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json to_json(const std::optional<Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high}) : Json();
}

Json to_json(const std::vector<Difference>& differences) {
  Json array = Json::array();
  for (const Difference& difference : differences) {
    array.push_back({{"name", difference.name}, {"baseline", difference.a}, {"run", difference.b}});
  }
  return array;
}

Json to_json(const AgainstBaseline& against, const ComparedRun& run) {
  return {{"run", run.label},
          {"samples_per_second", against.rate},
          {"ratio", against.ratio},
          {"ratio_interval", to_json(against.ratio_interval)},
          {"p_slower", to_json(against.p_slower)},
          {"verdict", to_string(against.verdict)},
          {"disturbed", against.disturbed},
          {"regression", against.is_regression},
          {"loading_time_ratio", to_json(against.loading_time_ratio)}};
}

Json to_json(const ComparedCell& cell, const Comparison& comparison) {
  Json settings = Json::object();
  for (std::size_t i = 0; i < comparison.varying.size(); ++i) {
    settings[comparison.varying[i]] = cell.settings[i];
  }
  Json against = Json::array();
  for (std::size_t i = 0; i < cell.against.size(); ++i) {
    if (cell.against[i]) against.push_back(to_json(*cell.against[i], comparison.runs[i]));
  }
  return {{"cell", cell.name},
          {"limit", cell.is_limit},
          {"settings", settings},
          {"baseline_samples_per_second", cell.baseline_rate},
          {"against", against}};
}

Json to_json(const ComparedRun& run) {
  return {{"label", run.label},
          {"name", run.name},
          {"simulation", run.simulation},
          {"loader", run.loader},
          {"mean_ratio", to_json(run.mean_ratio)},
          {"mean_ratio_interval", to_json(run.mean_ratio_interval)},
          {"between_runs", run.between_runs},
          {"cautions", run.cautions},
          {"not_compared", to_json(run.not_compared)},
          {"broken", run.broken},
          {"unmatched_baseline", run.unmatched_baseline},
          {"unmatched", run.unmatched},
          {"ambiguous", run.ambiguous},
          {"settings_only_in_baseline", run.settings_only_in_baseline},
          {"settings_only_here", run.settings_only_here},
          {"ignored", to_json(run.ignored)},
          {"constants", to_json(run.constants)},
          {"environment", to_json(run.environment)}};
}

}  // namespace

void write_comparison_json(std::ostream& out, const Comparison& comparison) {
  Json runs = Json::array(), cells = Json::array();
  for (const ComparedRun& run : comparison.runs) runs.push_back(to_json(run));
  for (const ComparedCell& cell : comparison.cells) cells.push_back(to_json(cell, comparison));
  const Json document = {{"schema_version", kComparisonSchemaVersion},
                         {"threshold", comparison.rule.threshold},
                         {"tolerance", comparison.rule.tolerance},
                         {"confidence", comparison.rule.confidence},
                         {"has_regression", comparison.has_regression()},
                         {"baseline",
                          {{"label", comparison.baseline_label},
                           {"name", comparison.baseline_name},
                           {"simulation", comparison.baseline_simulation},
                           {"loader", comparison.baseline_loader}}},
                         {"runs", runs},
                         {"cells", cells}};
  // Texts may contain invalid UTF-8.
  out << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace feedrate
