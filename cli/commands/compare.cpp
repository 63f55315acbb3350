// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/compare.h"

#include <sstream>

#include <fmt/format.h>

#include "analysis/report/compare_print.h"
#include "analysis/report/load_run.h"
#include "cli/output_file.h"
#include "cli/terminal_width.h"
#include "core/error.h"
#include "core/host/durable_file.h"

namespace feedrate {
namespace {

Comparison load_and_compare(const CompareOptions& options) {
  std::vector<RunResult> results;
  for (const std::filesystem::path& path : options.results) results.push_back(load_run(path));
  std::vector<NamedRun> runs;
  for (std::size_t i = 0; i < results.size(); ++i) {
    runs.push_back({options.results[i].string(), &results[i]});
  }
  return compare_runs(runs, options.rule);
}

void write(const Comparison& comparison, CompareFormat format, std::ostream& out) {
  switch (format) {
    case CompareFormat::kTable:
      return print_comparison(out, comparison, TableStyle::kTerminal, terminal_width());
    case CompareFormat::kMarkdown:
      return print_comparison(out, comparison, TableStyle::kMarkdown);
    case CompareFormat::kCsv:
      return write_comparison_csv(out, comparison);
    case CompareFormat::kJson:
      return write_comparison_json(out, comparison);
  }
}

}  // namespace

CompareFormat compare_format_from_string(const std::string& word) {
  if (word == "table") return CompareFormat::kTable;
  if (word == "csv") return CompareFormat::kCsv;
  if (word == "json") return CompareFormat::kJson;
  if (word == "markdown") return CompareFormat::kMarkdown;
  throw ConfigError(fmt::format(
      "compare --format {}: unknown format; must be table, csv, json or markdown", word));
}

int run_compare(const CompareOptions& options, Console& console) {
  if (options.results.size() < 2) {
    throw ConfigError("compare: needs at least two results, baseline first");
  }
  require_output_is_no_input(options.csv, "--csv", options.results);
  const Comparison comparison = load_and_compare(options);
  write(comparison, options.format, console.out);
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    if (comparison.has_common_cells(i)) continue;
    console.err << fmt::format(
        "feedrate: {} and {} have no measured cell in common; cells are matched by all settings "
        "that both have, and --ignore excludes settings\n",
        comparison.baseline_name, comparison.runs[i].name);
    return kExitUsage;
  }
  if (!options.csv.empty()) {
    std::ostringstream text;
    write_comparison_csv(text, comparison);
    replace_file(options.csv, text.str());
  }
  return comparison.has_regression() ? kExitRegression : kExitOk;
}

}  // namespace feedrate
