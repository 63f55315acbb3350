// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands/report.h"
#include "cli/options/subcommands.h"

namespace feedrate {

void add_report(CLI::App& app, const Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("report",
                         "Write an HTML page with the result, charts, the table and warnings. It "
                         "needs no network. Several results are compared with the first.");
  const auto options = std::make_shared<ReportOptions>();
  command->add_option("runs", options->runs, "results folders, run.json or cells.csv")->required();
  command->add_option("-o,--out", options->out, "output file; default: report.html");
  command->callback(
      [=] { chosen([=](Console& console) { return run_report(*options, console); }); });
}

}  // namespace feedrate
