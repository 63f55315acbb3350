// SPDX-License-Identifier: Apache-2.0
// feedrate sweep, feedrate plan: a configuration becomes a table.
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

/// What the command line may change of a configuration.
struct SweepOverrides {
  std::vector<std::string> axes;  ///< NAME=VALUE[,VALUE…]
  std::vector<std::string> only;  ///< the same
  std::optional<std::string> device;
  std::optional<std::size_t> steps;
  /// What engine: auto came to; a run goes on with it. No option.
  std::optional<std::string> engine;
  std::optional<std::string> repeats;  ///< as parse_repeats() takes them; "+N": more of a run
  std::optional<double> tolerance;
  std::optional<double> cell_timeout;  ///< seconds
  std::optional<std::uint64_t> seed;
  bool no_limits = false;
  std::optional<std::string> sort;  ///< a setting or a column of docs/columns.md
  std::optional<SweepShard> shard;  ///< only these cells
};

struct SweepOptions {
  std::filesystem::path config;  ///< may be empty where a run is resumed
  SweepOverrides overrides;
  /// Empty: feedrate-results/<config>-<time>. A shard has its own folder below it.
  std::filesystem::path out;
  std::string command_line;
  bool probe = true;  ///< of a plan: short starts tell the time
  ProfileOptions profile;
  ResumeOptions resume;
  bool force = false;  ///< replace what `out` holds
  bool json = false;   ///< run.json to console.out, and what people read to console.err
};

/// Throws ConfigError.
[[nodiscard]] SweepConfig load_sweep(const std::filesystem::path& file,
                                     const SweepOverrides& overrides);
/// The same, of a run that goes on: its configuration, changed by `overrides`.
[[nodiscard]] SweepConfig load_stored_sweep(const RunResult& run, const SweepOverrides& overrides);
[[nodiscard]] std::vector<Axis> parse_only(const SweepOverrides& overrides);

/// The cells, limits among them, of a machine with `cpus`; those of other shards are skipped.
/// Throws ConfigError.
[[nodiscard]] std::vector<Cell> sweep_plan(const SweepConfig& config,
                                           const SweepOverrides& overrides,
                                           const LaunchedRanks& launched = {},
                                           int cpus = usable_cpus());

/// As a run keeps them: "--axis=num_workers=0,2".
[[nodiscard]] std::vector<std::string> to_texts(const SweepOverrides& overrides);
/// Throws ConfigError.
[[nodiscard]] SweepOverrides overrides_from_texts(const std::vector<std::string>& texts);

/// Of a run that goes on: its own, changed by what is given again. Throws ConfigError where that
/// would measure otherwise than before.
[[nodiscard]] SweepOverrides resumed_overrides(const SweepOptions& options, const RunResult& run);

/// Measures, prints the table and the best settings to console.out, and writes the results folder.
[[nodiscard]] int run_sweep(const SweepOptions& options, Console& console);

/// How `feedrate plan` divides the sweep among nodes.
struct NodePlan {
  std::size_t shards = 0;            ///< 0: as many as time_limit asks for
  std::optional<double> time_limit;  ///< of a job, seconds
  bool sbatch = false;               ///< print only the script that submits it

  [[nodiscard]] bool is_wanted() const { return shards > 0 || time_limit || sbatch; }
};

/// Lists cells, skips and what the sweep will cost, on one node or several; makes no dataset. As
/// JSON, if `options` say so, which knows no nodes.
[[nodiscard]] int run_plan(const SweepOptions& options, const NodePlan& nodes, Console& console);

}  // namespace feedrate
