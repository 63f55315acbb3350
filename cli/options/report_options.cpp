#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands/report.h"
#include "cli/options/subcommands.h"

namespace feedrate {

void add_report(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand("report",
                                         "Make one page of results for the browser: the verdict, "
                                         "charts, the table, doubts. It needs no "
                                         "network, so it can be sent or archived as it is. Several "
                                         "results are compared with the first.");
  const auto options = std::make_shared<ReportOptions>();
  command->add_option("runs", options->runs, "results folders, run.json or cells.csv")->required();
  command->add_option("-o,--out", options->out, "default: report.html");
  command->callback(
      [=] { chosen([=](Console& console) { return run_report(*options, console); }); });
}

}  // namespace feedrate
