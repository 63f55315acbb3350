// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands/export.h"
#include "cli/options/subcommands.h"

namespace feedrate {

void add_export(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "export", "Export a result as JSON for Google Benchmark's compare.py, or as CSV.");
  const auto options = std::make_shared<ExportOptions>();
  command->add_option("run", options->run, "results folder, run.json or cells.csv")->required();
  command->add_option("--format", options->format, "google-benchmark or csv")
      ->required()
      ->check(CLI::IsMember({"google-benchmark", "csv"}))
      ->type_name("google-benchmark|csv");
  command->add_option("-o,--out", options->out, "output file; default: stdout");
  command->callback(
      [=] { chosen([=](Console& console) { return run_export(*options, console); }); });
}

}  // namespace feedrate
