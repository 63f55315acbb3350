// SPDX-License-Identifier: Apache-2.0
// feedrate report RUN…: one page of charts, tables and words, to be opened in any browser.
#pragma once
#include <filesystem>
#include <vector>

#include "core/host/console.h"

namespace feedrate {

struct ReportOptions {
  std::vector<std::filesystem::path> runs;  ///< results folders, run.json or cells.csv
  std::filesystem::path out = "report.html";
};

/// Throws ConfigError, FormatError, SystemError.
[[nodiscard]] int run_report(const ReportOptions& options, Console& console);

}  // namespace feedrate
