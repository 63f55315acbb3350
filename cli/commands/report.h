// SPDX-License-Identifier: Apache-2.0
// feedrate report RUN…: writes one page of charts, tables and text for a browser.
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
