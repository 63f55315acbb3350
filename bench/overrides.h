// SPDX-License-Identifier: Apache-2.0
// Changes of a sweep's configuration by the command line. A run saves them, so that it can be
// resumed. Any thread.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/plan/config.h"
#include "bench/plan/plan.h"
#include "bench/plan/shards.h"
#include "core/host/cpu.h"
#include "core/result.h"

namespace feedrate {

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

/// The overrides of a resumed run, changed by `given`. Throws ConfigError if that would change how
/// cells are measured.
[[nodiscard]] SweepOverrides resumed_overrides(const SweepOverrides& given, const RunResult& run);

}  // namespace feedrate
