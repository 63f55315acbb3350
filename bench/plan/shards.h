// SPDX-License-Identifier: Apache-2.0
// The cells of a sweep divided among several nodes. Pure functions; any thread.
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

/// Seconds that all starts of a cell are expected to take: the trainer's steps as far as the
/// configuration says how long they are, a minute where it does not, and a second a start. What
/// the loader adds is what the sweep is to find out. The same on every machine.
[[nodiscard]] double expected_seconds(const Cell& cell, const MeasureConfig& measure);

struct Shards {
  /// By place in the plan: the number of the cell's shard, 0 of one that the plan skips.
  std::vector<std::size_t> number_of;
  std::vector<double> seconds;     ///< expected, by number - 1
  std::vector<std::size_t> cells;  ///< how many, by number - 1
};

/// Balanced by expected_seconds: the longest cell first, each to the shard that has the least; of
/// equals in an order drawn by measure.seed, since in the plan's order a shard could get all cells
/// of one value of an axis, and then a slow node would look like a slow setting. The same plan and
/// seed give the same shards. Throws ConfigError where there are more shards than cells to measure.
[[nodiscard]] Shards divide(const std::vector<Cell>& plan, const MeasureConfig& measure,
                            std::size_t count);

/// Skips the cells that are another shard's.
void keep_shard(std::vector<Cell>& plan, const MeasureConfig& measure, const SweepShard& shard);

/// The reason for which keep_shard skips: "belongs to shard 3/4".
[[nodiscard]] std::string other_shard_reason(const SweepShard& other);
[[nodiscard]] bool is_other_shard_reason(const std::string& reason);

/// The share of a time limit that a shard's expected seconds may fill: the rest is for the loader.
inline constexpr double kShareOfLimit = 0.5;

/// The least shards of which each has kShareOfLimit of `limit_seconds` at most; as many as there
/// are cells to measure where one cell takes longer.
[[nodiscard]] std::size_t shards_for(const std::vector<Cell>& plan, const MeasureConfig& measure,
                                     double limit_seconds);

}  // namespace feedrate
