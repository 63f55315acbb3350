// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/page_data.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/answer.h"
#include "analysis/best.h"
#include "analysis/cell_text.h"
#include "analysis/columns.h"
#include "analysis/compare.h"
#include "analysis/effects.h"
#include "analysis/foreign_load.h"
#include "analysis/limits.h"
#include "analysis/paste_lines.h"
#include "analysis/report/compare_print.h"
#include "analysis/report/csv.h"
#include "analysis/report/effects_print.h"
#include "analysis/report/history_json.h"
#include "analysis/report/verdict_parts.h"
#include "analysis/resource_advice.h"
#include "analysis/warnings.h"
#include "analysis/watched_cells.h"
#include "analysis/whose_loader.h"

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;

Json columns_json() {
  Json columns = Json::array();
  for (const Column& column : metric_columns()) {
    columns.push_back({{"tag", column.tag},
                       {"unit", unit_name(column.unit)},
                       {"in_table", column.in_table},
                       {"meaning", column.meaning}});
  }
  return columns;
}

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

double rounded(double value) {
  if (value == 0.0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10.0, 3.0 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

std::vector<std::string> known_metrics(const RunResult& run) {
  std::vector<std::string> tags;
  for (const Column& column : metric_columns()) {
    for (const CellResult& cell : run.cells) {
      if (find_metric(cell.metrics, std::string(column.tag)) == nullptr) continue;
      tags.emplace_back(column.tag);
      break;
    }
  }
  return tags;
}

Json microseconds(const Repeat& repeat, const std::string& name) {
  Json values = Json::array();
  const auto found = repeat.series.find(name);
  if (found == repeat.series.end()) return values;
  for (const double seconds : found->second)
    values.push_back(finite(std::round(1e7 * seconds) / 10));
  return values;
}

Json starts_json(const CellResult& cell) {
  Json starts = Json::array();
  for (const Repeat& repeat : cell.repeats) {
    starts.push_back({{"loading", microseconds(repeat, "loading_time")},
                      {"training", microseconds(repeat, "training_time")}});
  }
  return starts;
}

Json thinned(const std::vector<double>& values, bool is_time) {
  constexpr std::size_t kMostPoints = 120;
  const std::size_t block = (values.size() + kMostPoints - 1) / kMostPoints;
  Json points = Json::array();
  for (std::size_t begin = 0; begin < values.size(); begin += block) {
    const std::size_t end = std::min(values.size(), begin + block);
    double sum = 0.0;
    for (std::size_t i = begin; i < end; ++i) sum += values[i];
    const double mean = sum / static_cast<double>(end - begin);
    points.push_back(finite(is_time ? values[end - 1] : block == 1 ? mean : rounded(mean)));
  }
  return points;
}

Json monitor_json(const CellResult& cell) {
  constexpr std::string_view kPrefix = "monitor_";
  Json series = Json::object();
  if (cell.repeats.empty()) return series;
  for (const auto& [name, values] : cell.repeats.back().series) {
    if (!name.starts_with(kPrefix)) continue;
    const bool is_time = name.ends_with("time") || name.ends_with("window");
    series[name.substr(kPrefix.size())] = thinned(values, is_time);
  }
  return series;
}

Json setting_json(const CellResult& cell, const std::string& name) {
  const SettingValue* const value = find_setting(cell.settings, name);
  if (value == nullptr) return "";
  return std::visit([](const auto& one) { return Json(one); }, *value);
}

struct Names {
  std::vector<std::string> settings;
  std::vector<std::string> varying;
  std::vector<std::string> choices;  // Vary among choosable cells.
  std::vector<std::string> metrics;
};

Json cell_json(const CellResult& cell, const Names& names) {
  Json settings = Json::array();
  for (const std::string& name : names.settings) settings.push_back(setting_json(cell, name));
  Json metrics = Json::array();
  for (const std::string& tag : names.metrics) {
    const double* const value = find_metric(cell.metrics, tag);
    metrics.push_back(value == nullptr ? Json(nullptr) : finite(*value));
  }
  const bool has_rate = find_metric(cell.metrics, "samples_per_second") != nullptr;
  return {{"index", cell.index},
          {"name", name_cell(cell, is_limit(cell) ? names.varying : names.choices)},
          {"outcome", to_string(cell.outcome)},
          {"reason", cell.reason},
          {"bottleneck", cell.bottleneck},
          {"verdict", verdict_text(cell)},
          {"limit", is_limit(cell)},
          {"rate_text", has_rate ? rate_text(cell) : ""},
          {"foreign_load", foreign_load_text(cell)},
          {"settings", settings},
          {"metrics", metrics},
          {"advice", resource_advice(cell)},
          {"monitor", monitor_json(cell)},
          {"starts", starts_json(cell)}};
}

Json remarks_json(const RunResult& run, const CellResult& proposed) {
  return {{"whose", whose_loader(run, proposed)},
          {"caution", foreign_load_caution(proposed)},
          {"lines_heading", lines_heading(run, proposed)}};
}

// Cells by their position in the run, which may differ from their index.
Json verdict_json(const RunResult& run) {
  const auto position = [&](const CellResult* cell) { return cell - run.cells.data(); };
  Json answers = Json::array();
  for (const Proposal& answer : decide(run)) {
    Json cells = Json::array();
    for (const std::vector<RankedCell>* ranked : {&answer.cells, &answer.others}) {
      for (const RankedCell& one : *ranked) {
        cells.push_back(
            {position(one.cell), rounded(one.against_fastest / answer.most_against_fastest())});
      }
    }
    answers.push_back({{"conditions", describe(*answer.proposed, answer.conditions)},
                       {"proposed", position(answer.proposed)},
                       {"fastest", position(&answer.fastest())},
                       {"cells", cells},
                       {"certainty", certainty_text(run, answer)},
                       {"remarks", remarks_json(run, *answer.proposed)},
                       {"code", paste_ready(run, *answer.proposed)}});
  }
  const auto said = [&](const CellResult* cell, const std::string& claim, const std::string& code) {
    return Json{{"conditions", ""},
                {"proposed", position(cell)},
                {"fastest", position(cell)},
                {"cells", Json::array()},
                {"certainty", claim},
                {"remarks", remarks_json(run, *cell)},
                {"code", code}};
  };
  if (const CellResult* const cell = recommended_cell(run)) {
    answers = Json::array({said(cell, run.recommended->claim, run.recommended->code)});
  }
  if (run.history) {  // The page shows the verdict of the training instead.
    answers = Json::array();
    for (const CellResult* cell : kept_cells(run)) answers.push_back(said(cell, "", ""));
  }
  std::ostringstream text;
  print_answer(text, run);
  return {{"tolerance", run.tolerance}, {"answers", answers}, {"text", text.str()}};
}

Json pairs_json(const std::vector<Fact>& facts) {
  Json pairs = Json::array();
  for (const Fact& fact : facts) pairs.push_back({fact.name, fact.value});
  return pairs;
}

std::vector<Fact> constants(const RunResult& run) {
  std::vector<Fact> facts;
  for (const std::string& name : constant_settings(run)) {
    if (!is_set(run, name)) continue;
    std::string value = constant_text(run, name);
    if (!value.empty()) facts.push_back({name, std::move(value)});
  }
  return facts;
}

std::string csv_text(const RunResult& run) {
  std::ostringstream text;
  write_cells_csv(text, run);
  return text.str();
}

Json effects_json(const RunResult& run) {
  Json rows = Json::array();
  std::vector<Effect> effects;
  if (!run.recommended && !run.history) effects = effects_of(run);
  for (const Effect& effect : effects) {
    const bool is_known = has_interval(effect.gain);
    rows.push_back({{"setting", effect.setting},
                    {"value", effect.value},
                    {"reference", effect.reference},
                    {"pairs", effect.pairs},
                    {"ratio", rounded(effect.gain.ratio)},
                    {"low", is_known ? Json(rounded(effect.gain.low)) : Json(nullptr)},
                    {"high", is_known ? Json(rounded(effect.gain.high)) : Json(nullptr)},
                    {"gain", gain_text(effect.gain.ratio)},
                    {"interval", interval_text(effect.gain)}});
  }
  return {{"rows", rows}, {"dependences", dependence_texts(effects)}};
}

Json said_json(const RunHistory& history) {
  const VerdictParts said = parts_of_verdict(history.verdict);
  return {{"answer", said.answer},
          {"facts", said.facts},
          {"changes", said.changes},
          {"code", said.code}};
}

Json run_json(const PageRun& page) {
  const RunResult& run = page.run;
  const Names names{setting_names(run), varying_settings(run),
                    varying_settings(choosable_cells(run)), known_metrics(run)};
  Json cells = Json::array();
  for (const CellResult& cell : run.cells) cells.push_back(cell_json(cell, names));
  Json profiles = Json::object();
  for (const auto& [index, text] : page.profiles) profiles[std::to_string(index)] = text;
  return {{"title", page.title},
          {"config_name", run.config_name},
          {"question", run.question},
          {"started_at", run.started_at},
          {"command", run.command},
          {"jobid", run.jobid},
          {"notice", simulation_notice(run)},
          {"interrupted", run.interrupted},
          {"foreign_load", foreign_load_sentence(run)},
          {"facts", pairs_json(run.environment.facts)},
          {"warnings", largest_first(warnings_of(run))},
          {"config_text", run.config_text},
          {"settings", names.settings},
          {"varying", names.varying},
          {"constant", pairs_json(constants(run))},
          {"metrics", names.metrics},
          {"cells", cells},
          {"verdict", verdict_json(run)},
          {"effects", effects_json(run)},
          {"said", run.history ? said_json(*run.history) : Json()},
          {"history", run.history ? Json::parse(history_to_json(*run.history)) : Json()},
          {"profiles", profiles},
          {"csv", csv_text(run)}};
}

Json compared_json(const ComparedCell& cell) {
  const AgainstBaseline& against = *cell.against.front();
  const auto& interval = against.ratio_interval;
  return {{"name", cell.name},
          {"limit", cell.is_limit},
          {"rate_a", finite(cell.baseline_rate)},
          {"rate_b", finite(against.rate)},
          {"ratio", finite(against.ratio)},
          {"low", interval ? finite(interval->low) : Json(nullptr)},
          {"high", interval ? finite(interval->high) : Json(nullptr)},
          {"verdict", to_string(against.verdict)},
          {"regression", against.is_regression}};
}

std::string sentence_on(const Comparison& comparison, const std::string& a, const std::string& b) {
  std::map<Verdict, std::size_t> cells;
  std::size_t all = 0;
  for (const ComparedCell& cell : comparison.cells) {
    if (cell.is_limit || !cell.against.front()) continue;
    ++cells[cell.against.front()->verdict];
    ++all;
  }
  if (all == 0) return fmt::format("{} and {} have no measured cell in common.", a, b);
  const std::optional<double>& mean = comparison.runs.front().mean_ratio;
  return fmt::format(
      "{} against {}: faster in {} of {} cells, slower in {}, equivalent in {}, undecided in {}{}.",
      b, a, cells[Verdict::kWin], all, cells[Verdict::kLose], cells[Verdict::kTie],
      cells[Verdict::kUndecided],
      mean ? fmt::format("; on average {:.2f} times the rate", *mean) : "");
}

Json comparison_json(const PageRun& a, const PageRun& b, std::size_t index) {
  const std::vector<NamedRun> runs{{a.title, &a.run}, {b.title, &b.run}};
  const Comparison comparison = compare_runs(runs, {});
  Json cells = Json::array();
  for (const ComparedCell& cell : comparison.cells) cells.push_back(compared_json(cell));
  std::ostringstream text;
  print_comparison(text, comparison);
  return {{"b", index},
          {"sentence", sentence_on(comparison, a.title, b.title)},
          {"cells", cells},
          {"text", text.str()}};
}

}  // namespace

std::string page_data(std::span<const PageRun> runs) {
  Json all = Json::array();
  Json comparisons = Json::array();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    all.push_back(run_json(runs[i]));
    if (i > 0) comparisons.push_back(comparison_json(runs[0], runs[i], i));
  }
  const Json page = {{"columns", columns_json()}, {"runs", all}, {"comparisons", comparisons}};
  // Texts may contain invalid UTF-8.
  return page.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace feedrate
