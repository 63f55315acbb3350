// SPDX-License-Identifier: Apache-2.0
// How a cell's figure comes from those of its ranks, column by column. Pure functions; any thread.
#pragma once
#include <string_view>
#include <vector>

#include "core/result.h"

namespace feedrate {

enum class AcrossRanks {
  kMean,
  kSum,
  kMax,
  kSlowest,  ///< the figure of slowest_rank
  kOnce,     ///< of all ranks together; no rank has it alone
};

/// Of the metric that bears this tag.
[[nodiscard]] AcrossRanks across_ranks(std::string_view tag);
/// "mean", "sum", "max", "slowest"; empty for kOnce.
[[nodiscard]] std::string_view rule_name(AcrossRanks rule);

/// Seconds of a rank's step that are its own: step_time without all_reduce_time, in which it waits
/// for the others. 0 where it has no step_time.
[[nodiscard]] double own_step_time(const std::vector<Metric>& metrics);

/// The place of the rank whose own_step_time is longest. REQUIRES: at least one rank
[[nodiscard]] std::size_t slowest_of(const std::vector<RankFigures>& ranks);

/// The figures of one start over all its ranks, by across_ranks(), with slowest_rank and straggler.
/// REQUIRES: at least one rank
[[nodiscard]] std::vector<Metric> combine_ranks(const std::vector<RankFigures>& ranks);

}  // namespace feedrate
