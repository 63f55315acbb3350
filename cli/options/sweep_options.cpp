#include <map>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands/sweep.h"
#include "cli/options/outline.h"
#include "cli/options/shared_options.h"
#include "cli/options/subcommands.h"
#include "core/error.h"
#include "device/open.h"
#include "plan/knobs.h"
#include "plan/shards.h"

namespace feedrate {
namespace {

std::string knob_line(const Knob& knob) {
  return fmt::format("  {:<19} {}\n", knob.name, knob.help);
}

std::string most_used_knobs() {
  std::string text =
      "The knobs used most (YAML section.key = --axis and --only name = CSV column):\n";
  const auto place = [](const Knob& knob) { return knob.most_used; };
  for (const Knob* const knob : by_place(place)) text += knob_line(*knob);
  text += fmt::format("`feedrate help knobs` lists all {}.\nFormats: {}\nDevices: {}",
                      knobs().size(), format_names(), fmt::join(known_devices(), ", "));
  return text;
}

CLI::Option* add_config(CLI::App& command, SweepOptions& options) {
  return command.add_option("config", options.config,
                            "the sweep, a YAML file; or a workload of DLIO");
}

void add_overrides(CLI::App& command, SweepOptions& options) {
  SweepOverrides& overrides = options.overrides;
  command
      .add_option("--axis", overrides.axes,
                  "values for a knob instead of the file's: --axis num_workers=0,2,4")
      ->type_name(kKnobValue)
      ->allow_extra_args(false);
  command
      .add_option("--only", overrides.only,
                  "only cells with these values: --only format=lmdb,tar,num_workers=2")
      ->type_name(kKnobValue)
      ->allow_extra_args(false);
  command
      .add_option("--device", overrides.device,
                  "the device instead of the file's: auto, cuda, sim:a100-pcie4, …")
      ->type_name(kDeviceValue);
  require_positive(command.add_option("--steps", overrides.steps, "kept steps of a repeat"));
  command
      .add_option(
          "--repeats", overrides.repeats,
          "rounds in which each cell's loader is started once: auto (3, then more for cells "
          "that may be the best, up to 12), or a number; +N with --resume: N more")
      ->type_name("auto|N|+N");
  command
      .add_option("--tolerance", overrides.tolerance,
                  "the loss that is given for cheaper settings, as a share; default 0.02")
      ->check(in_range(0.0, 0.99))
      ->type_name("SHARE");
  command.add_option("--seed", overrides.seed,
                     "of the shuffle, the random transforms and the order of cells");
  add_cell_timeout(command, overrides.cell_timeout);
  command.add_flag("--no-limits", overrides.no_limits,
                   "do not measure what the trainer and the loader reach alone");
  command.footer(most_used_knobs());
}

// CLI11 passes on no errors but its own.
SweepShard shard_from(const std::string& text) try {
  return parse_shard(text);
} catch (const ConfigError& error) {
  throw CLI::ValidationError(error.what());
}

void add_shard(CLI::App& command, SweepOverrides& overrides, const char* help) {
  command
      .add_option_function<std::string>(
          "--shard", [&overrides](const std::string& text) { overrides.shard = shard_from(text); },
          help)
      ->type_name("NUMBER/COUNT");
}

void add_nodes(CLI::App& command, SweepOptions& options, NodePlan& nodes) {
  require_positive(command.add_option("--shards", nodes.shards,
                                      "also how to divide the sweep among this many nodes"));
  as_seconds(
      command.add_option("--time-limit", nodes.time_limit,
                         "also how many nodes it takes with jobs of this time: 90s, 30m, 4h"));
  CLI::Option* sbatch = command.add_flag(
      "--sbatch", nodes.sbatch,
      "print only the shell script that submits it to Slurm: a job array, and a job that merges");
  command
      .add_option("--out", options.out,
                  "with --sbatch: the results folder; default: feedrate-results/<config>-<time>")
      ->needs(sbatch);
}

void require_something_to_go_on_with(const SweepOptions& options) {
  const ResumeOptions& resume = options.resume;
  if (resume.or_begin && options.out.empty()) {
    throw CLI::ValidationError("--continue: needs --out, to find the run again");
  }
  if ((resume.retry_failed || resume.may_mix) && !resume.is_wanted() && !resume.or_begin) {
    throw CLI::ValidationError("--retry-failed and --mix need --resume or --continue");
  }
}

void add_resume(CLI::App& command, ResumeOptions& options) {
  CLI::Option* folder =
      command
          .add_option("--resume", options.folder,
                      "measure what is missing in this results folder; the configuration is the "
                      "one kept there")
          ->check(not_empty());
  command
      .add_flag("--continue", options.or_begin,
                "go on with the run that --out holds, or begin it: for jobs that are requeued with "
                "the same command line")
      ->excludes(folder);
  command.add_flag("--retry-failed", options.retry_failed,
                   "with --resume or --continue: try cells that failed again");
  command.add_flag("--mix", options.may_mix,
                   "with --resume or --continue: go on although machine, device or dataset are "
                   "others");
}

}  // namespace

std::string knob_help() {
  std::string text = "Knobs (YAML section.key = --axis and --only name = CSV column):\n";
  for (const Knob& knob : knobs()) text += knob_line(knob);
  return text;
}

void add_sweep(CLI::App& app, const std::string& command_line, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "sweep", "Measure every cell of a sweep; print the table and the best settings.");
  const auto options = std::make_shared<SweepOptions>();
  options->command_line = command_line;
  add_config(*command, *options);
  add_overrides(*command, *options);
  add_shard(*command, options->overrides,
            "only the cells of one of COUNT parts, each measured on a node of its own; `feedrate "
            "merge` makes one run of them");
  CLI::Option* out = command->add_option(
      "--out", options->out, "results folder; default: feedrate-results/<config>-<time>");
  add_resume(*command, options->resume);
  command->get_option("--resume")->excludes(out);
  CLI::Option* force = add_force(*command, options->force);
  force->excludes("--resume")->excludes("--continue");
  command->add_flag("--trace", options->profile.trace,
                    "also write each cell's timeline, to be opened in ui.perfetto.dev; on a GPU "
                    "CUPTI records it, which costs time");
  command->add_flag("--profile", options->profile.summary,
                    "also sum up where each cell's time goes: Execution Summary, GPU Summary and "
                    "Performance Recommendation");
  command->callback([=] {
    if (options->config.empty() && !options->resume.is_wanted()) {
      throw CLI::RequiredError("config");
    }
    require_something_to_go_on_with(*options);
    chosen([=](Console& console) { return run_sweep(*options, console); });
  });
}

void add_plan(CLI::App& app, const Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("plan",
                         "List the cells of a sweep, what is skipped and why, and the time "
                         "and memory it will take; run nothing.");
  const auto options = std::make_shared<SweepOptions>();
  add_config(*command, *options)->required();
  add_overrides(*command, *options);
  add_shard(*command, options->overrides, "only the cells of one of COUNT parts");
  const auto nodes = std::make_shared<NodePlan>();
  add_nodes(*command, *options, *nodes);
  command->get_option("--shard")->excludes("--shards")->excludes("--time-limit");
  command->callback(
      [=] { chosen([=](Console& console) { return run_plan(*options, *nodes, console); }); });
}

}  // namespace feedrate
