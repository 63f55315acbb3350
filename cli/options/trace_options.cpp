// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands/trace.h"
#include "cli/options/subcommands.h"

namespace feedrate {

void add_trace(CLI::App& app, const Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("trace",
                         "Analyze a PyTorch profiler trace: where the time of the steps goes, the "
                         "wait for the loader, whether batches were pinned, and what to change.");
  const auto options = std::make_shared<TraceOptions>();
  command
      ->add_option(
          "file", options->files,
          "trace written by export_chrome_trace or tensorboard_trace_handler, .json or .json.gz, "
          "or its folder; for several, one per rank, also print a table of the ranks")
      ->required();
  command->add_option(
      "--config-out", options->config_out,
      "write a sweep configuration that replays the steps of the trace to this file");
  command->add_option("--json", options->json, "also write the figures to this file");
  command->callback(
      [=] { chosen([=](Console& console) { return run_trace(*options, console); }); });
}

}  // namespace feedrate
