// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/report.h"

#include <sstream>

#include <fmt/format.h>

#include "analysis/limits.h"
#include "analysis/report/load_run.h"
#include "analysis/report/page_data.h"
#include "analysis/report/profile_text.h"
#include "cli/output_file.h"
#include "core/error.h"
#include "core/host/durable_file.h"

namespace feedrate {
namespace {

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

}  // namespace

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

}  // namespace feedrate
