// SPDX-License-Identifier: Apache-2.0
// Merges the shards of a sweep. Pure functions; any thread.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"

namespace feedrate {

struct ShardRun {
  std::filesystem::path folder;
  RunResult run;
};

struct MergeOptions {
  bool partial = false;  ///< allow missing shards or starts
  bool may_mix = false;  ///< allow different machines, devices or versions of feedrate
};

/// The run that a single sweep would have made: cells in the plan's order, each with its own jobid
/// and node, judged by the limits of all shards. Unmeasured cells are pending, so that `feedrate
/// sweep --resume` can measure them. Throws ConfigError naming the folders if the runs are no
/// shards, belong to different sweeps or kinds of machine, or contain a shard twice; and if one is
/// incomplete or missing, unless `options` allow it, which adds a warning.
/// REQUIRES: at least one shard
[[nodiscard]] RunResult merge_shards(const std::vector<ShardRun>& shards,
                                     const MergeOptions& options);

/// Whether merge_shards() made it.
[[nodiscard]] bool is_merged(const RunResult& run);

}  // namespace feedrate
