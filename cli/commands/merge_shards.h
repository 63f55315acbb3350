// SPDX-License-Identifier: Apache-2.0
// The shards of a sweep as one run. Pure functions; any thread.
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
  bool partial = false;  ///< also where shards or starts are missing
  bool may_mix = false;  ///< also where machine, device or version of feedrate differ
};

/// The run that one sweep would have made: cells in the plan's order, each with its own jobid and
/// node, judged by the limits of all shards. What was not measured is pending, so that
/// `feedrate sweep --resume` can go on with it. Throws ConfigError naming the folders where the
/// runs are no shards, are not of one sweep or one kind of machine, or hold a shard twice; and
/// where one has not ended or is missing, unless `options` allow it: then that becomes a doubt.
/// REQUIRES: at least one shard.
[[nodiscard]] RunResult merge_shards(const std::vector<ShardRun>& shards,
                                     const MergeOptions& options);

/// Whether merge_shards made it.
[[nodiscard]] bool is_merged(const RunResult& run);

}  // namespace feedrate
