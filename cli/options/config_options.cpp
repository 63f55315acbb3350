// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands/config.h"
#include "cli/options/subcommands.h"

namespace feedrate {

void add_config(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "config", "List the configurations that come with feedrate, or print one of them.");
  const auto options = std::make_shared<ConfigOptions>();
  CLI::Option* name = command->add_option(
      "name", options->name, "name of a configuration, such as quickstart; default: list all");
  name->type_name("NAME");
  command->add_option("--out,-o", options->out, "write to this new file instead of stdout")
      ->needs(name);
  command->footer(
      "Examples:\n"
      "  feedrate config\n"
      "  feedrate config quickstart > quickstart.yaml\n"
      "  feedrate config own_dataset.py -o own_dataset.py");
  command->callback(
      [=] { chosen([=](Console& console) { return run_config(*options, console); }); });
}

}  // namespace feedrate
