// SPDX-License-Identifier: Apache-2.0
// feedrate export: writes a result for other programs.
#pragma once
#include <filesystem>
#include <string>

#include "core/host/console.h"

namespace feedrate {

struct ExportOptions {
  std::filesystem::path run;  ///< a results folder, run.json or cells.csv
  std::string format;         ///< "google-benchmark" or "csv"
  std::filesystem::path out;  ///< empty: stdout
};

/// Throws ConfigError, FormatError, SystemError.
[[nodiscard]] int run_export(const ExportOptions& options, Console& console);

}  // namespace feedrate
