// SPDX-License-Identifier: Apache-2.0
// feedrate report RUN…: writes one page of charts, tables and text for a browser.
#include <filesystem>
#include <memory>
#include <sstream>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/limits.h"
#include "analysis/report/load_run.h"
#include "analysis/report/page_data.h"
#include "analysis/report/profile_text.h"
#include "cli/options/subcommands.h"
#include "cli/output_file.h"
#include "core/error.h"
#include "core/host/console.h"
#include "core/host/durable_file.h"

namespace feedrate {
namespace {

struct ReportOptions {
  std::vector<std::filesystem::path> runs;  // results folders, run.json or cells.csv
  std::filesystem::path out = "report.html";
};

PageRun load_page_run(const std::filesystem::path& path) {
  PageRun page{path.string(), load_run(path), load_profiles(path)};
  if (page.run.cells.empty()) {
    throw ConfigError(
        fmt::format("{}: has no cells; must be a run of `feedrate sweep`", path.string()));
  }
  judge_by_limits(page.run);  // older results have the limits, but no judgment by them
  return page;
}

void require_file(const std::filesystem::path& out) {
  std::error_code error;
  if (std::filesystem::is_directory(out, error)) {
    throw ConfigError(fmt::format("{}: is a folder; must be a file name, such as -o {}",
                                  out.string(), (out / "report.html").string()));
  }
}

// Throws ConfigError, FormatError, SystemError.
int run_report(const ReportOptions& options, Console& console) {
  require_file(options.out);
  require_output_is_no_input(options.out, "--out", options.runs);
  std::vector<PageRun> runs;
  for (const std::filesystem::path& path : options.runs) runs.push_back(load_page_run(path));
  std::ostringstream page;
  write_html(page, runs);
  replace_file(options.out, page.str());
  console.out << fmt::format("Written: {} (open in a browser)\n", options.out.string());
  return kExitOk;
}

}  // namespace

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
