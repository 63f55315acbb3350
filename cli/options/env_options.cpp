// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/commands/columns.h"
#include "cli/commands/env.h"
#include "cli/commands/explain.h"
#include "cli/options/subcommands.h"

namespace feedrate {

void add_env(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "env", "Print facts about this machine, and warnings about measurements taken on it.");
  const auto options = std::make_shared<EnvOptions>();
  command->add_option("--dataset", options->dataset, "also inspect the storage of this path");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([=] { chosen([=](Console& console) { return run_env(*options, console); }); });
}

void add_columns(CLI::App& app, const Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("columns", "Print the meaning of each column of a result.");
  command->callback([=] { chosen(run_columns); });
}

void add_explain(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "explain", "Print what a word means: a column, a knob, a term, or a field of JSON output.");
  const auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("word", *words, "for example samples_per_second, prefetch_factor, regret")
      ->required();
  command->callback(
      [=] { chosen([=](Console& console) { return run_explain(*words, console); }); });
}

}  // namespace feedrate
