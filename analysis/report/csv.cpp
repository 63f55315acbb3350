// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/csv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <ostream>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "analysis/cell_text.h"
#include "analysis/columns.h"
#include "analysis/report/csv_text.h"
#include "core/error.h"
#include "core/host/durable_file.h"
#include "core/parse_number.h"

namespace feedrate {
namespace {

constexpr std::array<std::string_view, 7> kLeadingColumns{"jobid",  "simulated",  "cell", "outcome",
                                                          "reason", "bottleneck", "node"};

// These columns exist since the first release and identify the file.
constexpr std::size_t kAlwaysThere = 5;

bool is_leading_column(std::string_view name) {
  return std::find(kLeadingColumns.begin(), kLeadingColumns.end(), name) != kLeadingColumns.end();
}

void refuse_ambiguous_names(const std::vector<std::string>& settings) {
  for (const std::string& name : settings) {
    if (!is_leading_column(name) && find_column(name) == nullptr) continue;
    throw ConfigError(fmt::format(
        "setting {}: cells.csv already has a column of this name; rename the setting", name));
  }
}

std::vector<std::string> header(const std::vector<std::string>& settings) {
  std::vector<std::string> names(kLeadingColumns.begin(), kLeadingColumns.end());
  names.insert(names.end(), settings.begin(), settings.end());
  for (const Column& column : metric_columns()) names.emplace_back(column.tag);
  return names;
}

std::string metric_field(const CellResult& cell, const Column& column) {
  const double* const value = find_metric(cell.metrics, std::string(column.tag));
  return value == nullptr ? std::string() : csv_number(*value, column.unit);
}

std::string setting_field(const CellResult& cell, const std::string& name) {
  const SettingValue* const value = find_setting(cell.settings, name);
  const double* const number = value == nullptr ? nullptr : std::get_if<double>(value);
  return number == nullptr ? setting_text(cell, name) : csv_number(*number);
}

std::vector<std::string> row(const RunResult& run, const CellResult& cell,
                             const std::vector<std::string>& settings) {
  std::vector<std::string> fields{jobid_of(run, cell),
                                  run.simulated ? "true" : "false",
                                  fmt::format("{}", cell.index),
                                  to_string(cell.outcome),
                                  cell.reason,
                                  cell.bottleneck,
                                  cell.node};
  for (const std::string& name : settings) fields.push_back(setting_field(cell, name));
  for (const Column& column : metric_columns()) fields.push_back(metric_field(cell, column));
  return fields;
}

SettingValue typed(const std::string& text) {
  if (text == "true" || text == "True") return true;  // pandas writes "True".
  if (text == "false" || text == "False") return false;
  if (const auto integer = parse_number<std::int64_t>(text)) return *integer;
  if (const auto number = parse_number<double>(text); number && std::isfinite(*number))
    return *number;
  return text;
}

std::string common_jobid(const std::vector<CellResult>& cells) {
  const bool differs = std::any_of(cells.begin(), cells.end(), [&](const CellResult& cell) {
    return cell.jobid != cells.front().jobid;
  });
  return cells.empty() || differs ? std::string() : cells.front().jobid;
}

class CellsReader {
 public:
  explicit CellsReader(std::string file) : file_(std::move(file)) {}

  RunResult read(const std::vector<CsvRecord>& records) {
    if (records.empty()) fail(1, "is empty; the first line must hold column names");
    const CsvRecord& names = records.front();
    check_names(names);
    RunResult run;
    for (auto record = records.begin() + 1; record != records.end(); ++record) {
      if (record->fields.size() != names.fields.size()) {
        fail(record->line, fmt::format("has {} fields; the first line names {} columns",
                                       record->fields.size(), names.fields.size()));
      }
      run.cells.push_back(read_cell(names, *record, run));
    }
    run.axes = varying_settings(run);
    run.jobid = common_jobid(run.cells);
    return run;
  }

 private:
  void check_names(const CsvRecord& names) const {
    for (const std::string_view wanted : std::span(kLeadingColumns).first(kAlwaysThere)) {
      if (std::find(names.fields.begin(), names.fields.end(), wanted) == names.fields.end()) {
        fail(
            names.line,
            fmt::format("has no column \"{}\", so it is not a cells.csv of feedrate; use a file of "
                        "`feedrate sweep`, or map the columns with `feedrate what-if --columns`",
                        wanted));
      }
    }
    std::vector<std::string> sorted = names.fields;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) fail(names.line, fmt::format("names column \"{}\" twice", *twice));
  }

  CellResult read_cell(const CsvRecord& names, const CsvRecord& record, RunResult& run) const {
    CellResult cell;
    bool is_after_metrics = false;  // An unknown name there is no setting.
    for (std::size_t i = 0; i < record.fields.size(); ++i) {
      const std::string& name = names.fields[i];
      const std::string& field = record.fields[i];
      if (is_leading_column(name)) {
        read_leading(name, field, record.line, cell, run);
      } else if (find_column(name) != nullptr) {
        is_after_metrics = true;
        if (!field.empty()) cell.metrics.push_back({name, read_metric(name, field, record.line)});
      } else if (!is_after_metrics) {
        cell.settings.push_back({name, typed(field)});
      }
    }
    return cell;
  }

  void read_leading(const std::string& name, const std::string& field, std::size_t line,
                    CellResult& cell, RunResult& run) const {
    if (name == "jobid") cell.jobid = field;
    if (name == "simulated") run.simulated = run.simulated || read_flag(field, line);
    if (name == "cell") cell.index = read_index(field, line);
    if (name == "outcome") cell.outcome = read_outcome(field, line);
    if (name == "reason") cell.reason = field;
    if (name == "bottleneck") cell.bottleneck = field;
    if (name == "node") cell.node = field;
  }

  [[nodiscard]] bool read_flag(const std::string& field, std::size_t line) const {
    const SettingValue value = typed(field);
    if (const bool* flag = std::get_if<bool>(&value)) return *flag;
    fail(line, fmt::format("simulated is \"{}\"; must be true or false", field));
  }

  [[nodiscard]] std::size_t read_index(const std::string& field, std::size_t line) const {
    const auto index = parse_number<std::size_t>(field);
    if (!index) fail(line, fmt::format("cell is \"{}\"; must be a whole number", field));
    return *index;
  }

  [[nodiscard]] Outcome read_outcome(const std::string& field, std::size_t line) const {
    try {
      return outcome_from_string(field);
    } catch (const FormatError& error) {
      fail(line, error.what());
    }
  }

  [[nodiscard]] double read_metric(const std::string& name, const std::string& field,
                                   std::size_t line) const {
    const auto value = parse_number<double>(field);
    if (!value || !std::isfinite(*value)) {
      fail(line, fmt::format("{} is \"{}\"; must be a number or empty", name, field));
    }
    return *value;
  }

  [[noreturn]] void fail(std::size_t line, std::string_view problem) const {
    throw FormatError(fmt::format("{}: line {}: {}", file_, line, problem));
  }

  std::string file_;
};

}  // namespace

void write_cells_csv(std::ostream& out, const RunResult& run) {
  const std::vector<std::string> settings = setting_names(run);
  refuse_ambiguous_names(settings);
  out << csv_line(header(settings));
  for (const CellResult& cell : run.cells) out << csv_line(row(run, cell, settings));
}

RunResult read_cells_csv(const std::filesystem::path& path) {
  return CellsReader(path.string()).read(parse_csv(path.string(), read_whole_file(path)));
}

}  // namespace feedrate
