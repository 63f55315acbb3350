// SPDX-License-Identifier: Apache-2.0
// Combines the figures of ranks into those of a cell, per column. Pure functions; any thread.
#pragma once
#include <string_view>
#include <vector>

#include "core/result.h"

namespace feedrate {

enum class AcrossRanks {
  kMean,
  kSum,
  kMax,
  kSlowest,  ///< the value of slowest_rank
  kOnce,     ///< computed for all ranks together
};

[[nodiscard]] AcrossRanks across_ranks(std::string_view tag);
/// "mean", "sum", "max", "slowest"; empty for kOnce.
[[nodiscard]] std::string_view rule_name(AcrossRanks rule);

/// Seconds per step without waiting for other ranks: step_time - all_reduce_time. 0 without
/// step_time.
[[nodiscard]] double own_step_time(const std::vector<Metric>& metrics);

/// The index of the rank with the longest own_step_time(). REQUIRES: at least one rank
[[nodiscard]] std::size_t slowest_of(const std::vector<RankFigures>& ranks);

/// Combines the ranks of one start by across_ranks(), and adds slowest_rank and straggler.
/// REQUIRES: at least one rank
[[nodiscard]] std::vector<Metric> combine_ranks(const std::vector<RankFigures>& ranks);

}  // namespace feedrate
