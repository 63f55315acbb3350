// SPDX-License-Identifier: Apache-2.0
// feedrate compare A B [C...]: compares results with the first one, cell by cell.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/compare.h"
#include "core/host/console.h"

namespace feedrate {

enum class CompareFormat { kTable, kCsv, kJson, kMarkdown };

/// "table", "csv", "json" or "markdown". Throws ConfigError.
[[nodiscard]] CompareFormat compare_format_from_string(const std::string& word);

struct CompareOptions {
  std::vector<std::filesystem::path> results;  ///< folders, run.json or cells.csv; baseline first
  ComparisonRule rule;
  CompareFormat format = CompareFormat::kTable;
  std::filesystem::path csv = {};  ///< additional output file; empty: none
};

/// kExitUsage if a result has no measured cell in common with the first one, kExitRegression if a
/// cell is slower than the first one's by more than the threshold. Throws ConfigError.
[[nodiscard]] int run_compare(const CompareOptions& options, Console& console);

}  // namespace feedrate
