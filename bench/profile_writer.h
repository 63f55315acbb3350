// SPDX-License-Identifier: Apache-2.0
// Writes the files of `sweep --trace` and `sweep --profile`: of each cell the timeline of its last
// start, and its Execution Summary, GPU Summary and Performance Recommendation. One thread.
#pragma once
#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/engines/run_profile.h"
#include "core/result.h"

namespace feedrate {

struct ProfileOptions {
  bool trace = false;         ///< traces/cell-007.json
  bool summary = false;       ///< profile.txt
  bool keep_earlier = false;  ///< keep the text of profile.txt about cells that do not run again
};

class ProfileWriter {
 public:
  /// `run` must outlive the writer. Creates the files at once, so that a failure comes before the
  /// measurements: ConfigError.
  ProfileWriter(std::filesystem::path folder, const ProfileOptions& options, const RunResult& run);

  /// The following profiles belong to this cell.
  void begin(const CellResult& cell) { cell_ = &cell; }
  /// Replaces the profile of an earlier start of the cell. Throws SystemError.
  void take(const RunProfile& profile);

  /// Prints the three tables of the proposed cell; nothing without `summary`.
  void print_proposed(std::ostream& out) const;
  /// The names of the written files in the folder.
  [[nodiscard]] std::vector<std::string> files() const;

 private:
  void write_trace_file(const RunProfile& profile) const;
  void read_summaries();
  void write_summaries() const;
  [[nodiscard]] std::string heading_of(const CellResult& cell) const;
  [[nodiscard]] std::string title(const CellResult& cell) const;

  const std::filesystem::path folder_;
  const ProfileOptions options_;
  const RunResult& run_;
  const CellResult* cell_ = nullptr;
  std::map<std::size_t, std::string> summaries_;  // by the cell's index
};

}  // namespace feedrate
