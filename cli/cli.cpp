// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/build_info.h"
#include "cli/masked_command_line.h"
#include "cli/options/subcommands.h"
#include "core/did_you_mean.h"
#include "loaders/decode/weighted_sums.h"

namespace feedrate {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 success · 1 a cell failed, or data is damaged or differs · 2 usage or "
    "configuration error ·\n"
    "3 compare found a regression · 75 stopped by SIGUSR1 (sent by batch systems before a time "
    "limit) or by\n"
    "a lost GPU; run the same command again to continue · 130 interrupted (measured results are "
    "written first)\n"
    "\n"
    "Start here:\n"
    "  feedrate run train.py                       run a training script and report what its steps "
    "wait for\n"
    "  feedrate config quickstart -o sweep.yaml    write a configuration; `feedrate config` lists "
    "them\n"
    "  feedrate sweep sweep.yaml                   measure, print the table and the best settings\n"
    "  feedrate tune sweep.yaml                    find the best settings from a few measured "
    "cells\n"
    "  feedrate plan sweep.yaml                    list the cells of a sweep and estimate its "
    "duration\n"
    "  feedrate what-if feedrate-results/A         predict the gain of a faster GPU or more cores\n"
    "  feedrate limits                             measure the limits of memory, storage and "
    "cores\n"
    "  feedrate compare feedrate-results/A B       find improvements and regressions\n"
    "  feedrate report feedrate-results/A          write a page of charts, report.html";

std::string version_text() {
  const bool has_commit = *kCommit != '\0';
  return fmt::format("feedrate {} ({}{}, {}; {}; {})", kVersion,
                     has_commit ? fmt::format("commit {}; ", kCommit) : "", kBuildType, kCompiler,
                     kCuda, simd_name());
}

const CLI::App& innermost(const CLI::App& app) {
  const auto named = app.get_subcommands();
  return named.empty() ? app : innermost(*named.front());
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// CLI11 would only report a missing command; the unknown argument explains more.
std::string describe_unknown_argument(const CLI::App& app) {
  const std::vector<std::string> unknown_arguments = app.remaining(true);
  if (unknown_arguments.empty()) return {};
  const CLI::App& at = innermost(app);
  const std::string& unknown = unknown_arguments.front();
  std::vector<std::string_view> known;
  for (const CLI::App* command : at.get_subcommands({})) {
    if (!command->get_group().empty()) known.push_back(command->get_name());
  }
  if (!known.empty() && !unknown.starts_with('-')) {
    return fmt::format("feedrate: {}: unknown command{}\n", unknown,
                       did_you_mean_or_list(unknown, known));
  }
  const std::vector<std::string> options = option_names(at);
  const std::string near = did_you_mean(unknown, {options.begin(), options.end()});
  return fmt::format("feedrate: {}: unknown option of {}{}\n", unknown, at.get_name(),
                     near.empty() ? "; `--help` lists the options" : near);
}

bool has_unknown_command(const CLI::App& app) {
  const CLI::App& at = innermost(app);
  const std::vector<std::string> unknown_arguments = app.remaining(true);
  return !at.get_prefix_command() && !at.get_subcommands({}).empty() &&
         !unknown_arguments.empty() && !unknown_arguments.front().starts_with('-');
}

// Some take long for large or hostile files and do not poll the stop token.
bool only_reads(const CLI::App& app) {
  constexpr std::array<std::string_view, 10> kNames{"compare", "columns", "env",    "explain",
                                                    "info",    "plan",    "report", "trace",
                                                    "verify",  "what-if"};
  return std::find(kNames.begin(), kNames.end(), innermost(app).get_name()) != kNames.end();
}

// CLI11 names values by their C++ types.
void name_numbers(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    if (type == "UINT" || type == "INT" || type == "FLOAT") option->type_name("NUMBER");
  }
  for (CLI::App* command : app.get_subcommands({})) name_numbers(*command);
}

// Returns the arguments in reverse order for CLI11. Omits "--" before the command of `run`, which
// would end the subcommand.
std::vector<std::string> arguments_of(const CLI::App& app, int argc, const char* const* argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments.front() == "run") {
    const CLI::App& run = *app.get_subcommand("run");
    std::size_t i = 1;
    while (i < arguments.size() && arguments[i].starts_with('-') && arguments[i] != "--") {
      const CLI::Option* const option = run.get_option_no_throw(arguments[i]);
      i += option != nullptr && option->get_expected_max() > 0 ? 2 : 1;
    }
    if (i < arguments.size() && arguments[i] == "--") {
      arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

bool is_about_a_value(const CLI::ParseError& error) {
  return dynamic_cast<const CLI::ValidationError*>(&error) != nullptr ||
         dynamic_cast<const CLI::ConversionError*>(&error) != nullptr;
}

std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const std::string unknown = is_about_a_value(error) ? "" : describe_unknown_argument(app);
  if (!unknown.empty()) return unknown;
  return fmt::format("feedrate: {}\nRun with --help for more information.\n", error.what());
}

}  // namespace

ParsedCommand parse_command_line(int argc, const char* const* argv) {
  CLI::App app("Find the DataLoader settings that keep a GPU busy, and measure how much they gain.",
               "feedrate");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  ParsedCommand parsed;
  const std::string line = masked_command_line({argv, argv + argc});
  const Chosen chosen = [&parsed](Command command) { parsed.run = std::move(command); };
  add_sweep(app, line, chosen);
  add_plan(app, chosen);
  add_merge(app, line, chosen);
  add_tune(app, line, chosen);
  add_run(app, line, chosen);
  add_what_if(app, chosen);
  add_compare(app, chosen);
  add_effects(app, chosen);
  add_report(app, chosen);
  add_calibrate(app, chosen);
  add_limits(app, chosen);
  add_trace(app, chosen);
  add_config(app, chosen);
  add_env(app, chosen);
  add_columns(app, chosen);
  add_explain(app, chosen);
  add_data(app, chosen);
  add_rank(app, chosen);
  add_completion(app, chosen);
  add_help(app, chosen);
  name_numbers(app);
  app.footer(kFooter);  // set last: commands added later would inherit it
  try {
    app.parse(arguments_of(app, argc, argv));
    parsed.only_reads = only_reads(app);
    parsed.hands_signals_on = innermost(app).get_name() == "run";
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, ignored;
    const bool asked = app.exit(error, out, ignored) == 0 && !has_unknown_command(app);
    parsed.run = nullptr;
    parsed.text = asked ? out.str() : explain(app, error);
    parsed.exit_code = asked ? kExitOk : kExitUsage;
  }
  return parsed;
}

}  // namespace feedrate
