// SPDX-License-Identifier: Apache-2.0
// feedrate compare A B [C...]: compares results with the first one, cell by cell.
#include "analysis/compare.h"

#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/report/compare_print.h"
#include "analysis/report/load_run.h"
#include "cli/options/shared_options.h"
#include "cli/options/subcommands.h"
#include "cli/output_file.h"
#include "cli/terminal_width.h"
#include "core/error.h"
#include "core/host/console.h"
#include "core/host/durable_file.h"

namespace feedrate {
namespace {

struct CompareOptions {
  std::vector<std::filesystem::path> results;  // folders, run.json or cells.csv; baseline first
  ComparisonRule rule;
  std::string format = "table";
  std::filesystem::path csv = {};  // additional output file; empty: none
};

Comparison load_and_compare(const CompareOptions& options) {
  std::vector<RunResult> results;
  for (const std::filesystem::path& path : options.results) results.push_back(load_run(path));
  std::vector<NamedRun> runs;
  for (std::size_t i = 0; i < results.size(); ++i) {
    runs.push_back({options.results[i].string(), &results[i]});
  }
  return compare_runs(runs, options.rule);
}

using WriteComparison = void (*)(std::ostream&, const Comparison&);

WriteComparison writer_of(const std::string& format) {
  if (format == "csv") return write_comparison_csv;
  if (format == "json") return write_comparison_json;
  if (format == "table") {
    return [](std::ostream& out, const Comparison& comparison) {
      print_comparison(out, comparison, TableStyle::kTerminal, terminal_width());
    };
  }
  if (format == "markdown") {
    return [](std::ostream& out, const Comparison& comparison) {
      print_comparison(out, comparison, TableStyle::kMarkdown);
    };
  }
  throw ConfigError(fmt::format(
      "compare --format {}: unknown format; must be table, csv, json or markdown", format));
}

// kExitUsage if a result has no measured cell in common with the first one, kExitRegression if a
// cell is slower than the first one's by more than the threshold. Throws ConfigError.
int run_compare(const CompareOptions& options, Console& console) {
  const WriteComparison write = writer_of(options.format);
  if (options.results.size() < 2) {
    throw ConfigError("compare: needs at least two results, baseline first");
  }
  require_output_is_no_input(options.csv, "--csv", options.results);
  const Comparison comparison = load_and_compare(options);
  write(console.out, comparison);
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

void add_rule(CLI::App& command, ComparisonRule& rule) {
  command
      .add_option("--threshold", rule.threshold,
                  "loss of samples/s that counts as a regression; default 0.05 (5 %)")
      ->check(in_range(0.0, 0.999));
  command
      .add_option("--tolerance", rule.tolerance,
                  "largest difference that counts as a TIE; default 0.02 (2 %)")
      ->check(in_range(0.0, 0.999));
  command
      .add_option("--confidence", rule.confidence,
                  "confidence level of intervals and verdicts; default 0.95")
      ->check(in_range(0.5, 0.9999));
  command
      .add_option(
          "--ignore", rule.ignored,
          "settings to ignore when matching cells, in addition to engine, device and emulate if "
          "each result has one value")
      ->delimiter(',')
      ->allow_extra_args(false);
}

}  // namespace

void add_compare(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "compare", "Compare results with the baseline, cell by cell; exit code 3 on a regression.");
  const auto options = std::make_shared<CompareOptions>();
  command
      ->add_option("results", options->results,
                   "results folders, run.json or cells.csv, baseline first")
      ->required();
  command->add_option("--format", options->format, "table, csv, json or markdown; default table");
  command
      ->add_flag_callback(
          "--json", [=] { options->format = "json"; }, "print JSON, as --format json")
      ->excludes("--format");
  command->add_option("--csv", options->csv, "also write the cells to this CSV file");
  add_rule(*command, options->rule);
  command->callback(
      [=] { chosen([=](Console& console) { return run_compare(*options, console); }); });
}

}  // namespace feedrate
