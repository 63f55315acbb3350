// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands/merge.h"
#include "cli/options/subcommands.h"

namespace feedrate {

void add_merge(CLI::App& app, const std::string& command_line, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand("merge", "Merge the shards of a sweep into one run.");
  const auto options = std::make_shared<MergeCommandOptions>();
  options->command_line = command_line;
  command
      ->add_option("folders", options->folders,
                   "results folders of the shards, or the folder that contains them")
      ->required();
  command->add_option("--out", options->out,
                      "results folder; default: the folder that contains the shards, or "
                      "feedrate-results/<config>-<time>");
  command->add_flag("--partial", options->merge.partial,
                    "merge even if shards are missing or incomplete; `feedrate sweep --resume` can "
                    "measure the rest");
  command->add_flag("--mix", options->merge.may_mix,
                    "merge even if the machine, device, dataset or feedrate version differs");
  command->footer(
      "Shards with different configurations, options or plans are rejected, and so are duplicate "
      "shards. `feedrate help slurm` has a full example.");
  command->callback(
      [=] { chosen([=](Console& console) { return run_merge(*options, console); }); });
}

}  // namespace feedrate
