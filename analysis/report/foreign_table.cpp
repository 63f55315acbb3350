// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/foreign_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/best.h"
#include "analysis/cell_text.h"
#include "analysis/columns.h"
#include "analysis/report/csv_text.h"
#include "analysis/report/table_number.h"
#include "bench/plan/knobs.h"
#include "core/error.h"
#include "core/host/durable_file.h"

namespace feedrate {
namespace {

constexpr std::string_view kEpochTime = "epoch_time";
constexpr std::string_view kSamples = "samples";

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs parse_pairs(std::string_view option, std::string_view text) {
  Pairs pairs;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    const std::size_t equals = item.rfind('=');
    if (equals == 0 || equals == std::string_view::npos || equals + 1 == item.size()) {
      throw ConfigError(fmt::format("{}: \"{}\" must be NAME=…", option, item));
    }
    pairs.emplace_back(item.substr(0, equals), item.substr(equals + 1));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
  }
  return pairs;
}

bool is_knob(std::string_view name) {
  const auto all = knobs();
  return std::any_of(all.begin(), all.end(), [&](const Knob& knob) { return knob.name == name; });
}

bool is_metric(std::string_view name) { return name == kEpochTime || find_column(name) != nullptr; }

std::string table_word(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

std::string value_text(const Knob& knob, const std::string& field) {
  if (field.empty()) return std::string(knob.fallback);
  if (knob.type == KnobType::kInteger) {
    const auto count = parse_table_number(field, Unit::kCount);
    return count && *count == std::floor(*count) ? fmt::format("{:.0f}", *count) : field;
  }
  if (knob.type != KnobType::kBool) return field;
  const std::string word = table_word(field);
  if (word == "1" || word == "yes" || word == "true" || word == "on") return "true";
  if (word == "0" || word == "no" || word == "false" || word == "off") return "false";
  return field;
}

Unit unit_of(std::string_view metric) {
  const Column* const column = find_column(metric);
  return column == nullptr ? Unit::kSeconds : column->unit;
}

class TableReader {
 public:
  TableReader(const std::filesystem::path& file, const ForeignColumns& columns)
      : file_(file.string()),
        named_(parse_pairs("--columns", columns.named)),
        given_(parse_pairs("--given", columns.given)) {}

  RunResult read(const std::vector<CsvRecord>& records) {
    if (records.empty()) fail(1, "is empty; the first line must hold column names");
    take_names(records.front());
    take_given();
    RunResult run;
    for (auto record = records.begin() + 1; record != records.end(); ++record) {
      if (record->fields.size() != ours_.size()) {
        fail(record->line, fmt::format("has {} fields; the first line names {} columns",
                                       record->fields.size(), ours_.size()));
      }
      CellResult cell = read_cell(*record);
      if (find_metric(cell.metrics, "samples_per_second") == nullptr) continue;
      cell.index = run.cells.size();
      run.cells.push_back(std::move(cell));
    }
    if (run.cells.empty()) {
      throw ConfigError(file_ +
                        ": no row has a rate; map a column to samples_per_second, step_time, or "
                        "epoch_time with --given samples=N");
    }
    run.axes = varying_settings(run);
    run.config_name = std::filesystem::path(file_).stem().string();
    return run;
  }

 private:
  void take_names(const CsvRecord& names) {
    ours_ = names.fields;
    for (const auto& [theirs, ours] : named_) {
      const auto column = std::find(names.fields.begin(), names.fields.end(), theirs);
      if (column == names.fields.end()) {
        throw ConfigError(fmt::format("--columns: {} has no column \"{}\"; it has {}", file_,
                                      theirs, fmt::join(names.fields, ", ")));
      }
      if (!is_metric(ours)) static_cast<void>(find_knob(ours));
      ours_[static_cast<std::size_t>(column - names.fields.begin())] = ours;
    }
    std::vector<std::string> sorted = ours_;
    std::erase_if(sorted, [](const std::string& one) { return !is_knob(one) && !is_metric(one); });
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) {
      throw ConfigError(fmt::format("--columns: two columns of {} are {}", file_, *twice));
    }
  }

  void take_given() {
    for (const auto& [name, value] : given_) {
      const std::string where = "--given " + name;
      if (name == kSamples) {
        const auto count = parse_table_number(value, Unit::kCount);
        if (!count || !(*count >= 1.0 && std::isfinite(*count))) {
          throw ConfigError(fmt::format("{}: is {}; must be a number of samples", where, value));
        }
        samples_ = *count;
        continue;
      }
      const Knob& knob = find_knob(name);
      if (std::find(ours_.begin(), ours_.end(), name) != ours_.end()) {
        throw ConfigError(fmt::format("{}: {} has a column with this name", where, file_));
      }
      of_all_.push_back({name, parse_knob(knob, value_text(knob, value), where)});
    }
  }

  [[nodiscard]] CellResult read_cell(const CsvRecord& record) const {
    CellResult cell;
    cell.outcome = Outcome::kOk;
    cell.settings = of_all_;
    std::map<std::string, double> metrics;
    for (std::size_t i = 0; i < ours_.size(); ++i) {
      const std::string& field = record.fields[i];
      if (is_knob(ours_[i])) {
        const Knob& knob = find_knob(ours_[i]);
        const std::string where = fmt::format("{}:{}: {}", file_, record.line, ours_[i]);
        cell.settings.push_back({ours_[i], parse_knob(knob, value_text(knob, field), where)});
      } else if (is_metric(ours_[i]) && !field.empty()) {
        metrics[ours_[i]] = number(record.line, ours_[i], field);
      }
    }
    complete(metrics, cell.settings);
    for (const auto& [name, value] : metrics) {
      if (name != kEpochTime) cell.metrics.push_back({name, value});
    }
    return cell;
  }

  // Derives the rate from the other metrics, and the step time from the rate.
  void complete(std::map<std::string, double>& metrics, const Settings& settings) const {
    const double batch_size = static_cast<double>(count_of(settings, "batch_size"));
    const auto known = [&](std::string_view name) { return metrics.count(std::string(name)) > 0; };
    if (!known("samples_per_second") && known("step_time") && batch_size > 0.0) {
      metrics["samples_per_second"] = batch_size / metrics["step_time"];
    }
    if (!known("samples_per_second") && known(kEpochTime) && samples_) {
      metrics["samples_per_second"] = *samples_ / metrics[std::string(kEpochTime)];
    }
    if (!known("step_time") && known("samples_per_second") && batch_size > 0.0) {
      metrics["step_time"] = batch_size / metrics["samples_per_second"];
    }
  }

  [[nodiscard]] double number(std::size_t line, const std::string& name,
                              const std::string& field) const {
    const auto value = parse_table_number(field, unit_of(name));
    if (!value || !(*value > 0.0 && std::isfinite(*value))) {
      fail(line,
           fmt::format("{} is \"{}\"; must be a number above 0, as 1234.5, \"1,234.5\" or with "
                       "its unit, or empty",
                       name, field));
    }
    return *value;
  }

  [[noreturn]] void fail(std::size_t line, std::string_view problem) const {
    throw FormatError(fmt::format("{}: line {}: {}", file_, line, problem));
  }

  std::string file_;
  Pairs named_;
  Pairs given_;
  std::vector<std::string> ours_;  // per column; the table's own name if we have none
  Settings of_all_;
  std::optional<double> samples_;
};

std::string text_of_table(const std::filesystem::path& file) try {
  constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20;
  return read_whole_file(file, kMostBytes);
} catch (const Error& error) {
  throw ConfigError(fmt::format("{}; must be a CSV file", error.what()));
}

bool has_row(const RunResult& run, const char* knob, const char* value) {
  return std::any_of(run.cells.begin(), run.cells.end(),
                     [&](const CellResult& cell) { return text_of(cell.settings, knob) == value; });
}

}  // namespace

RunResult read_foreign_table(const std::filesystem::path& file, const ForeignColumns& columns) {
  return TableReader(file, columns).read(parse_csv(file.string(), text_of_table(file)));
}

std::string missing_limits(const RunResult& run) {
  std::vector<std::string> missing;
  if (has_only_limits(run)) return "";
  if (!has_row(run, "loader", "cached")) missing.emplace_back("the training alone (loader=cached)");
  if (!has_row(run, "trainer", "discard")) {
    missing.emplace_back("the loading alone (trainer=discard)");
  }
  if (missing.empty()) return "";
  return fmt::format(
      "has no row of {}; with both, the model's error on a public table was 0.7 %, without them 4 "
      "to "
      "23 % on others",
      fmt::join(missing, " and of "));
}

}  // namespace feedrate
