// SPDX-License-Identifier: Apache-2.0
// `feedrate trace` of several files: compares the ranks, one per file. One thread.
#pragma once
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "analysis/profile/trace_report.h"

namespace feedrate {

/// Replaces each folder in `named` by its .json and .json.gz files, sorted by name. Throws
/// ConfigError for a folder without any.
[[nodiscard]] std::vector<std::filesystem::path> trace_files(
    const std::vector<std::filesystem::path>& named);

/// A row per trace, in the order of their rank numbers.
class RankTable {
 public:
  void add(const TraceReport& report);
  void print(std::ostream& out) const;

 private:
  struct Row {
    std::optional<std::uint64_t> rank;
    std::vector<std::string> cells;
  };

  std::vector<Row> rows_;
};

}  // namespace feedrate
