#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands/merge.h"
#include "cli/options/subcommands.h"

namespace feedrate {

void add_merge(CLI::App& app, const std::string& command_line, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "merge", "Make one run of the shards of a sweep, as if one sweep had measured it.");
  const auto options = std::make_shared<MergeCommandOptions>();
  options->command_line = command_line;
  command
      ->add_option("folders", options->folders,
                   "the shards' results folders, or the folder that they lie in")
      ->required();
  command->add_option("--out", options->out,
                      "results folder; default: the one that the shards lie in, or "
                      "feedrate-results/<config>-<time>");
  command->add_flag("--partial", options->merge.partial,
                    "also where shards are missing or have not ended; `feedrate sweep --resume` "
                    "can then measure the rest");
  command->add_flag("--mix", options->merge.may_mix,
                    "also where machine, device, dataset or version of feedrate differ");
  command->footer(
      "Shards of other configurations, options or plans are refused, and a shard given twice. "
      "docs/slurm.md shows the whole way.");
  command->callback(
      [=] { chosen([=](Console& console) { return run_merge(*options, console); }); });
}

}  // namespace feedrate
