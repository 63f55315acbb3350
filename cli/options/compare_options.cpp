// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands/compare.h"
#include "cli/commands/transfer.h"
#include "cli/options/shared_options.h"
#include "cli/options/subcommands.h"
#include "core/error.h"

namespace feedrate {
namespace {

struct CompareArguments {
  CompareOptions compare;
  TransferCommandOptions transfer;
  std::string format = "table";
  bool is_transfer = false;
};

void add_transfer(CLI::App& command, CompareArguments& arguments) {
  CLI::Option* flag = command.add_flag(
      "--transfer", arguments.is_transfer,
      "test whether settings chosen with A are good in B: rank correlation, regret, errors");
  TransferCommandOptions& options = arguments.transfer;
  command
      .add_option(
          "--by", options.by,
          "split A by two values of a setting instead of reading B: engine, or engine=native,torch")
      ->needs(flag);
  command
      .add_option("--only", options.only,
                  "use only the cells of A with this value: --only emulate=profile.yaml")
      ->allow_extra_args(false)
      ->needs(flag);
  command.add_flag("--markdown", options.markdown, "print Markdown")->needs(flag);
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
          "each result has one value; with --transfer, in addition to all such settings")
      ->delimiter(',')
      ->allow_extra_args(false);
}

TransferCommandOptions transfer_options(const CompareArguments& arguments) {
  const CompareOptions& compare = arguments.compare;
  TransferCommandOptions options = arguments.transfer;
  if (compare.results.size() > 2) {
    throw ConfigError(
        fmt::format("compare --transfer: {} results given; must be two, or one with --by",
                    compare.results.size()));
  }
  if (compare.format == CompareFormat::kCsv || compare.format == CompareFormat::kJson) {
    throw ConfigError(fmt::format(
        "compare --transfer --format {}: must be table or markdown; --csv FILE writes the cells",
        arguments.format));
  }
  options.a = compare.results.front();
  if (compare.results.size() == 2) options.b = compare.results.back();
  options.csv = compare.csv;
  options.ignored = compare.rule.ignored;
  options.markdown = options.markdown || compare.format == CompareFormat::kMarkdown;
  return options;
}

int run(CompareArguments arguments, Console& console) {
  arguments.compare.format = compare_format_from_string(arguments.format);
  return arguments.is_transfer ? run_transfer(transfer_options(arguments), console)
                               : run_compare(arguments.compare, console);
}

}  // namespace

void add_compare(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "compare", "Compare results with the baseline, cell by cell; exit code 3 on a regression.");
  const auto arguments = std::make_shared<CompareArguments>();
  command
      ->add_option("results", arguments->compare.results,
                   "results folders, run.json or cells.csv, baseline first; only one with --by")
      ->required();
  command->add_option("--format", arguments->format, "table, csv, json or markdown; default table");
  command
      ->add_flag_callback(
          "--json", [=] { arguments->format = "json"; }, "print JSON, as --format json")
      ->excludes("--format");
  command->add_option("--csv", arguments->compare.csv, "also write the cells to this CSV file");
  add_rule(*command, arguments->compare.rule);
  add_transfer(*command, *arguments);
  command->callback([=] { chosen([=](Console& console) { return run(*arguments, console); }); });
}

}  // namespace feedrate
