#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/cli/shared_options.h"
#include "bench/cli/subcommands.h"
#include "bench/commands/sweep.h"
#include "bench/plan/knobs.h"
#include "device/open.h"

namespace feedrate {
namespace {

std::string knob_help() {
  std::string text = "Knobs (YAML section.key = --axis and --only name = CSV column):\n";
  for (const Knob& knob : knobs()) {
    text += fmt::format("  {:<19} {}\n", knob.name, knob.help);
  }
  text += fmt::format("Formats: {}\nDevices: {}", format_names(), fmt::join(known_devices(), ", "));
  return text;
}

void add_overrides(CLI::App& command, SweepOptions& options) {
  command.add_option("config", options.config, "the sweep, a YAML file")->required();
  SweepOverrides& overrides = options.overrides;
  command
      .add_option("--axis", overrides.axes,
                  "values for a knob instead of the file's: --axis num_workers=0,2,4")
      ->allow_extra_args(false);
  command
      .add_option("--only", overrides.only, "only cells with these values: --only format=lmdb,tar")
      ->allow_extra_args(false);
  command.add_option("--device", overrides.device,
                     "the device instead of the file's: auto, cuda, sim:a100-pcie4, …");
  require_positive(command.add_option("--steps", overrides.steps, "kept steps of a repeat"));
  require_positive(
      command.add_option("--repeats", overrides.repeats, "starts of the loader per cell"));
  command.add_option("--seed", overrides.seed,
                     "of the shuffle, the random transforms and the order of cells");
  command.add_flag("--no-limits", overrides.no_limits,
                   "do not measure what the trainer and the loader reach alone");
  command.footer(knob_help());
}

}  // namespace

void add_sweep(CLI::App& app, const std::string& command_line, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "sweep", "Measure every cell of a sweep; print the table and the best settings.");
  const auto options = std::make_shared<SweepOptions>();
  options->command_line = command_line;
  add_overrides(*command, *options);
  command->add_option("--out", options->out,
                      "results folder; default: feedrate-results/<config>-<time>");
  command->add_flag("--trace", options->profile.trace,
                    "also write each cell's timeline, to be opened in ui.perfetto.dev; on a GPU "
                    "CUPTI records it, which costs time");
  command->add_flag("--profile", options->profile.summary,
                    "also sum up where each cell's time goes: Execution Summary, GPU Summary and "
                    "Performance Recommendation");
  command->callback(
      [=] { chosen([=](Console& console) { return run_sweep(*options, console); }); });
}

void add_plan(CLI::App& app, const Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("plan",
                         "List the cells of a sweep, what is skipped and why, and the time "
                         "and memory it will take; run nothing.");
  const auto options = std::make_shared<SweepOptions>();
  add_overrides(*command, *options);
  command->callback([=] { chosen([=](Console& console) { return run_plan(*options, console); }); });
}

}  // namespace feedrate
