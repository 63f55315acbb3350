// SPDX-License-Identifier: Apache-2.0
// What `sweep --trace` and `sweep --profile` write beside the results: of each cell the timeline of
// its last start, and its Execution Summary, GPU Summary and Performance Recommendation. One
// thread.
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
  bool keep_earlier = false;  ///< what profile.txt says of cells that are not run again
};

class ProfileWriter {
 public:
  /// `run` outlives the writer. Creates what is to be written, so that what cannot be written is
  /// known before anything is measured: ConfigError.
  ProfileWriter(std::filesystem::path folder, const ProfileOptions& options, const RunResult& run);

  /// What comes next is of this cell.
  void begin(const CellResult& cell) { cell_ = &cell; }
  /// Replaces what an earlier start of the same cell has left. Throws SystemError.
  void take(const RunProfile& profile);

  /// The three tables of the cell that the run proposes; nothing without `summary`.
  void print_proposed(std::ostream& out) const;
  /// What was written, as names in the folder.
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
  std::map<std::size_t, std::string> summaries_;  // By the cell's index.
};

}  // namespace feedrate
