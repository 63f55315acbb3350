#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands/trace.h"
#include "cli/options/subcommands.h"

namespace feedrate {

void add_trace(CLI::App& app, const Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("trace",
                         "Say what a trace of the PyTorch profiler shows: where the steps' time "
                         "goes, what they waited "
                         "for the loader, whether batches were pinned, and what to do.");
  const auto options = std::make_shared<TraceOptions>();
  command
      ->add_option(
          "file", options->files,
          "what export_chrome_trace or tensorboard_trace_handler wrote, .json or .json.gz, "
          "or its folder; of several, one rank each, also a table of the ranks")
      ->required();
  command->add_option("--config-out", options->config_out,
                      "write a sweep whose trainer takes the trace's steps into this file");
  command->add_option("--json", options->json, "also write the figures into this file");
  command->callback(
      [=] { chosen([=](Console& console) { return run_trace(*options, console); }); });
}

}  // namespace feedrate
