// SPDX-License-Identifier: Apache-2.0
// Divides the cells of a sweep among several nodes. Pure functions; any thread.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "bench/plan/config.h"
#include "bench/plan/plan.h"

namespace feedrate {

/// "2/4": the second of four.
struct SweepShard {
  std::size_t number = 1;
  std::size_t count = 1;
};

/// Throws ConfigError unless `text` is "2/4" with 1 ≤ 2 ≤ 4.
[[nodiscard]] SweepShard parse_shard(const std::string& text);
[[nodiscard]] std::string to_string(const SweepShard& shard);

/// "shard-2-of-4".
[[nodiscard]] std::string folder_name(const SweepShard& shard);

/// Expected seconds of all starts of a cell: the trainer's steps if the configuration gives their
/// length, else a minute, plus a second per start. Ignores the loader, which the sweep is to
/// measure. The same on every machine.
[[nodiscard]] double expected_seconds(const Cell& cell, const MeasureConfig& measure);

struct Shards {
  /// The shard's number of each cell, by index in the plan; 0 for skipped cells.
  std::vector<std::size_t> number_of;
  std::vector<double> seconds;     ///< expected, by number - 1
  std::vector<std::size_t> cells;  ///< count by number - 1
};

/// Balances expected_seconds: the longest cell first, each to the shard with the least. Equal cells
/// are shuffled by measure.seed: in the plan's order a shard could get all cells of one value of an
/// axis, and a slow node would look like a slow setting. The same plan and seed give the same
/// shards. Throws ConfigError if there are more shards than cells to measure.
[[nodiscard]] Shards divide(const std::vector<Cell>& plan, const MeasureConfig& measure,
                            std::size_t count);

/// Skips the cells of other shards.
void keep_shard(std::vector<Cell>& plan, const MeasureConfig& measure, const SweepShard& shard);

/// The reason of keep_shard(): "belongs to shard 3/4".
[[nodiscard]] std::string other_shard_reason(const SweepShard& other);
[[nodiscard]] bool is_other_shard_reason(const std::string& reason);

/// The share of a time limit for a shard's expected seconds; the rest is for the loader.
inline constexpr double kShareOfLimit = 0.5;

/// The smallest number of shards that each take at most kShareOfLimit of `limit_seconds`; the
/// number of cells to measure if a single cell takes longer.
[[nodiscard]] std::size_t shards_for(const std::vector<Cell>& plan, const MeasureConfig& measure,
                                     double limit_seconds);

}  // namespace feedrate
