// SPDX-License-Identifier: Apache-2.0
// feedrate sweep and feedrate plan: run or list the cells of a configuration.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/plan/config.h"
#include "bench/plan/plan.h"
#include "bench/plan/shards.h"
#include "bench/profile_writer.h"
#include "bench/resume.h"
#include "core/host/console.h"
#include "core/host/cpu.h"

namespace feedrate {

/// Changes of a configuration by the command line.
struct SweepOverrides {
  std::vector<std::string> axes;  ///< NAME=VALUE[,VALUE…]
  std::vector<std::string> only;  ///< NAME=VALUE[,VALUE…]
  std::optional<std::string> device;
  std::optional<std::size_t> steps;
  /// The result of `engine: auto`, kept for a resumed run; no option sets it.
  std::optional<std::string> engine;
  std::optional<std::string> repeats;  ///< as parse_repeats() takes them; "+N" adds to a run
  std::optional<double> tolerance;
  std::optional<double> cell_timeout;  ///< seconds
  std::optional<std::uint64_t> seed;
  bool no_limits = false;
  std::optional<std::string> sort;  ///< a setting or a column of docs/columns.md
  std::optional<SweepShard> shard;  ///< measure only its cells
};

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

/// Throws ConfigError.
[[nodiscard]] SweepConfig load_sweep(const std::filesystem::path& file,
                                     const SweepOverrides& overrides);
/// The configuration of a resumed run, changed by `overrides`.
[[nodiscard]] SweepConfig load_stored_sweep(const RunResult& run, const SweepOverrides& overrides);
[[nodiscard]] std::vector<Axis> parse_only(const SweepOverrides& overrides);

/// The cells, including limits, for a machine with `cpus`; cells of other shards are skipped.
/// Throws ConfigError.
[[nodiscard]] std::vector<Cell> sweep_plan(const SweepConfig& config,
                                           const SweepOverrides& overrides,
                                           const LaunchedRanks& launched = {},
                                           int cpus = usable_cpus());

/// The form in run.json: "--axis=num_workers=0,2".
[[nodiscard]] std::vector<std::string> to_texts(const SweepOverrides& overrides);
/// Throws ConfigError.
[[nodiscard]] SweepOverrides overrides_from_texts(const std::vector<std::string>& texts);

/// The overrides of a resumed run, changed by the new command line. Throws ConfigError if that
/// would change how cells are measured.
[[nodiscard]] SweepOverrides resumed_overrides(const SweepOptions& options, const RunResult& run);

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
