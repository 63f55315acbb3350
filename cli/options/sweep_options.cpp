// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/plan/knobs.h"
#include "bench/plan/shards.h"
#include "cli/commands/sweep.h"
#include "cli/options/outline.h"
#include "cli/options/shared_options.h"
#include "cli/options/subcommands.h"
#include "core/error.h"
#include "device/open.h"

namespace feedrate {
namespace {

std::string knob_line(const Knob& knob) {
  return fmt::format("  {:<19} {}\n", knob.name, knob.help);
}

std::string most_used_knobs() {
  std::string text = "Common knobs (YAML section.key = --axis and --only name = CSV column):\n";
  const auto position = [](const Knob& knob) { return knob.most_used; };
  for (const Knob* const knob : by_position(position)) text += knob_line(*knob);
  text += fmt::format("`feedrate help knobs` lists all {}.\nFormats: {}\nDevices: {}",
                      knobs().size(), format_names(), fmt::join(known_devices(), ", "));
  return text;
}

CLI::Option* add_config(CLI::App& command, SweepOptions& options) {
  return command.add_option("config", options.config,
                            "configuration of the sweep, a YAML file; or a DLIO workload");
}

void add_overrides(CLI::App& command, SweepOptions& options) {
  SweepOverrides& overrides = options.overrides;
  command
      .add_option("--axis", overrides.axes,
                  "override the values of a knob: --axis num_workers=0,2,4")
      ->type_name(kKnobValue)
      ->allow_extra_args(false);
  command
      .add_option("--only", overrides.only,
                  "only cells with these values: --only format=lmdb,tar,num_workers=2")
      ->type_name(kKnobValue)
      ->allow_extra_args(false);
  command
      .add_option(
          "--device", overrides.device,
          "override the device: auto, cuda, sim:a100-pcie4, …; default: from the file, else auto")
      ->type_name(kDeviceValue);
  require_positive(command.add_option(
      "--steps", overrides.steps, "measured steps per repeat; default: from the file, else 60"));
  command
      .add_option("--repeats", overrides.repeats,
                  "repeats per cell: auto (3, then up to 12 for cells that may be the best), or a "
                  "number; +N with --resume: N more; default: from the file, else auto")
      ->type_name("auto|N|+N");
  command
      .add_option(
          "--tolerance", overrides.tolerance,
          "loss accepted for cheaper settings, as a share; default: from the file, else 0.02")
      ->check(in_range(0.0, 0.99))
      ->type_name("SHARE");
  command.add_option("--seed", overrides.seed,
                     "random seed of the shuffle, the transforms and the order of cells; default: "
                     "from the file, else 0");
  add_cell_timeout(command, overrides.cell_timeout);
  command
      .add_option("--sort", overrides.sort,
                  "sort the table by this setting or column, such as loading_time; default: "
                  "fastest first")
      ->type_name("COLUMN");
  command.add_flag("--no-limits", overrides.no_limits,
                   "skip the reference cells (trainer alone, loader alone)");
  command.footer(most_used_knobs());
}

// CLI11 handles only its own errors.
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
                                      "also print how to divide the sweep among this many nodes"));
  as_seconds(command.add_option(
      "--time-limit", nodes.time_limit,
      "also print how many nodes are needed for jobs of this length: 90s, 30m, 4h"));
  CLI::Option* sbatch = command.add_flag(
      "--sbatch", nodes.sbatch,
      "print only the shell script that submits the sweep to Slurm: a job array and a merge job");
  command
      .add_option("--out", options.out,
                  "with --sbatch: results folder; default: feedrate-results/<config>-<time>")
      ->needs(sbatch);
}

void require_something_to_go_on_with(const SweepOptions& options) {
  const ResumeOptions& resume = options.resume;
  if (resume.or_begin && options.out.empty()) {
    throw CLI::ValidationError("--continue: needs --out, the folder of the run");
  }
  if ((resume.retry_failed || resume.may_mix) && !resume.is_wanted() && !resume.or_begin) {
    throw CLI::ValidationError("--retry-failed and --mix need --resume or --continue");
  }
}

void add_resume(CLI::App& command, ResumeOptions& options) {
  CLI::Option* folder =
      command
          .add_option(
              "--resume", options.folder,
              "measure what is missing in this results folder, with the configuration saved there")
          ->check(not_empty());
  command
      .add_flag("--continue", options.or_begin,
                "resume the run in the output folder, or start it; for jobs that are requeued with "
                "the same command line")
      ->excludes(folder);
  command.add_flag("--retry-failed", options.retry_failed,
                   "with --resume or --continue: retry cells that failed");
  command.add_flag(
      "--mix", options.may_mix,
      "with --resume or --continue: resume even if the machine, device or dataset differs");
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
            "only the cells of one of COUNT shards; each shard can run on its own node; `feedrate "
            "merge` merges them");
  CLI::Option* out = command->add_option(
      "--out", options->out, "results folder; default: feedrate-results/<config>-<time>");
  add_resume(*command, options->resume);
  command->get_option("--resume")->excludes(out);
  command->add_flag("--json", options->json, "print run.json to stdout, everything else to stderr");
  CLI::Option* force = add_force(*command, options->force);
  force->excludes("--resume")->excludes("--continue");
  command->add_flag("--trace", options->profile.trace,
                    "also write a timeline of each cell for ui.perfetto.dev; on a GPU it is "
                    "recorded by CUPTI, which adds overhead");
  command->add_flag("--profile", options->profile.summary,
                    "also summarize the time of each cell: Execution Summary, GPU Summary and "
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
  CLI::App* command = app.add_subcommand(
      "plan",
      "List the cells of a sweep, the skipped cells with reasons, and the time and memory needed. "
      "Starts some of the cells for a few batches to estimate the time.");
  const auto options = std::make_shared<SweepOptions>();
  add_config(*command, *options)->required();
  add_overrides(*command, *options);
  add_shard(*command, options->overrides, "only the cells of one of COUNT shards");
  const auto nodes = std::make_shared<NodePlan>();
  add_nodes(*command, *options, *nodes);
  command->get_option("--shard")->excludes("--shards")->excludes("--time-limit");
  command->add_flag("!--no-probe", options->probe,
                    "start no cells: estimate only the time of the trainer's steps");
  command->add_flag("--json", options->json, "print JSON")
      ->excludes("--shards")
      ->excludes("--time-limit")
      ->excludes("--sbatch");
  command->callback(
      [=] { chosen([=](Console& console) { return run_plan(*options, *nodes, console); }); });
}

}  // namespace feedrate
