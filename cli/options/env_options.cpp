// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands/columns.h"
#include "cli/commands/env.h"
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

}  // namespace feedrate
