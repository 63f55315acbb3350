// SPDX-License-Identifier: Apache-2.0
// feedrate sweep and feedrate plan: run or list the cells of a configuration.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/overrides.h"
#include "bench/profile_writer.h"
#include "bench/resume.h"
#include "core/host/console.h"

namespace feedrate {

struct SweepOptions {
  std::filesystem::path config;  ///< may be empty for a resumed run
  SweepOverrides overrides;
  /// Empty: feedrate-results/<config>-<time>. A shard has a folder of its own inside.
  std::filesystem::path out;
  std::string command_line;
  bool probe = true;  ///< `plan` estimates the time by short starts
  ProfileOptions profile;
  ResumeOptions resume;
  bool force = false;  ///< replace `out`
  bool json = false;   ///< print run.json to console.out, and text to console.err
};

/// Measures, prints the table and the best settings to console.out, and writes the results folder.
[[nodiscard]] int run_sweep(const SweepOptions& options, Console& console);

/// The division of a sweep among nodes by `feedrate plan`.
struct NodePlan {
  std::size_t shards = 0;            ///< 0: derived from time_limit
  std::optional<double> time_limit;  ///< seconds of a job
  bool sbatch = false;               ///< print only the script that submits it

  [[nodiscard]] bool is_wanted() const { return shards > 0 || time_limit || sbatch; }
};

/// Lists cells, skipped cells and the cost of the sweep, on one node or several; makes no dataset.
/// JSON output excludes nodes.
[[nodiscard]] int run_plan(const SweepOptions& options, const NodePlan& nodes, Console& console);

}  // namespace feedrate
