#include <map>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "bench/cli/shared_options.h"
#include "bench/cli/subcommands.h"
#include "bench/commands/what_if.h"

namespace feedrate {
namespace {

constexpr const char* kFooter =
    "It measures nothing: the model of `feedrate tune` is fitted to what the run has measured, "
    "and\n"
    "replays its cells in the changed world. Without an option: a table of the usual questions.\n\n"
    "Examples:\n"
    "  feedrate what-if feedrate-results/A\n"
    "  feedrate what-if feedrate-results/A --gpu-speed 2 --cores 16\n"
    "  feedrate what-if feedrate-results/A --cached 50%    after a sweep with --axis "
    "cache=warm,cold\n"
    "docs/what-if.md has the formulas, and what the model does not know.";

void add_world(CLI::App& command, WhatIfOptions& options) {
  command
      .add_option("--gpu-speed", options.world.gpu_speed,
                  "the GPU computes this many times as fast; copies take what they took")
      ->check(CLI::Range(0.01, 1000.0));
  command.add_option("--cores", options.world.cores, "the loader has this many CPUs")
      ->check(CLI::Range(1.0, 1024.0));
  command
      .add_option("--cached", options.world.cached,
                  "this share of the data is in the page cache: 50% or 0.5; needs cells with "
                  "cache=warm and with cache=cold")
      ->transform(share_validator())
      ->check(CLI::Range(0.0, 1.0));
}

}  // namespace

void add_what_if(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "what-if",
      "Predict what a run would reach with another GPU, other cores, more of the data cached.");
  const auto options = std::make_shared<WhatIfOptions>();
  command
      ->add_option("run", options->run,
                   "results of a sweep or a tune: a folder, run.json or "
                   "cells.csv")
      ->required();
  add_world(*command, *options);
  command
      ->add_option("--recorded-cores", options->recorded_cores,
                   "CPUs of the machine where it was recorded; default: as the run says, else here")
      ->check(CLI::Range(1.0, 1024.0));
  command->add_option("--format", options->format, "table or json; default table")
      ->transform(CLI::CheckedTransformer(std::map<std::string, WhatIfFormat>{
          {"table", WhatIfFormat::kTable}, {"json", WhatIfFormat::kJson}}))
      ->type_name("table|json");
  command->footer(kFooter);
  command->callback(
      [=] { chosen([=](Console& console) { return run_what_if(*options, console); }); });
}

}  // namespace feedrate
