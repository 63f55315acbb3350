// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands/compare.h"
#include "cli/options/shared_options.h"
#include "cli/options/subcommands.h"

namespace feedrate {
namespace {

struct CompareArguments {
  CompareOptions compare;
  std::string format = "table";
};

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

int run(CompareArguments arguments, Console& console) {
  arguments.compare.format = compare_format_from_string(arguments.format);
  return run_compare(arguments.compare, console);
}

}  // namespace

void add_compare(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "compare", "Compare results with the baseline, cell by cell; exit code 3 on a regression.");
  const auto arguments = std::make_shared<CompareArguments>();
  command
      ->add_option("results", arguments->compare.results,
                   "results folders, run.json or cells.csv, baseline first")
      ->required();
  command->add_option("--format", arguments->format, "table, csv, json or markdown; default table");
  command
      ->add_flag_callback(
          "--json", [=] { arguments->format = "json"; }, "print JSON, as --format json")
      ->excludes("--format");
  command->add_option("--csv", arguments->compare.csv, "also write the cells to this CSV file");
  add_rule(*command, arguments->compare.rule);
  command->callback([=] { chosen([=](Console& console) { return run(*arguments, console); }); });
}

}  // namespace feedrate
