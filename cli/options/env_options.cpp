#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands/columns.h"
#include "cli/commands/env.h"
#include "cli/options/subcommands.h"

namespace feedrate {

void add_env(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "env", "Print this machine and every reason to doubt numbers taken on it.");
  const auto options = std::make_shared<EnvOptions>();
  command->add_option("--dataset", options->dataset, "also look at the storage of this path");
  command->add_flag("--json", options->json, "as JSON");
  command->callback([=] { chosen([=](Console& console) { return run_env(*options, console); }); });
}

void add_columns(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand("columns", "Print what each column of a result means.");
  command->callback([=] { chosen(run_columns); });
}

}  // namespace feedrate
