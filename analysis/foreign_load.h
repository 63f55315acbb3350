// SPDX-License-Identifier: Apache-2.0
// What other programs took of the machine while cells were measured, and when that is too much to
// believe their figures: docs/measurement.md, "Foreign load". Pure functions; any thread.
#pragma once
#include <string>
#include <vector>

#include "core/result.h"

namespace feedrate {

/// In CPUs, means over `seconds`.
struct ForeignLoad {
  double seconds = 0.0;
  double cpus = 0.0;    ///< that feedrate might use, by affinity
  double busy = 0.0;    ///< of these, by any process
  double taken = 0.0;   ///< of these, by other programs and, stolen, by other guests of the host
  double stolen = 0.0;  ///< of `taken`
};

/// Others took more than this share of the CPUs while less than half of them were idle.
inline constexpr double kForeignShare = 0.05;
[[nodiscard]] bool is_disturbing(const ForeignLoad& load);

/// Of one start. Runs of before there was the metric are judged by their series, as far as they
/// have them; what is not known is not disturbed, and nothing was taken.
[[nodiscard]] bool is_disturbed(const Repeat& start);
/// CPUs.
[[nodiscard]] double taken_by_others(const Repeat& start);

/// "other programs used 0.96 of 2 CPUs"; empty where these metrics
/// (bench/engines/monitor_figures.h) tell of nothing disturbing.
[[nodiscard]] std::string foreign_load_text(const std::vector<Metric>& metrics);

/// Whether any start was, or the cell's bottleneck is that others took its storage
/// (analysis/limits.h).
[[nodiscard]] bool is_disturbed(const CellResult& cell);

/// Below this no window of steps tells what other programs took: the kernel counts the time of
/// processors in ticks of 10 ms. Seconds.
inline constexpr double kShortestWindow = 0.2;

/// Whether its windows were shorter than that, so that it is unknown whether it was disturbed.
[[nodiscard]] bool is_unwatched(const CellResult& cell);

/// "other programs used 0.96 of 2 CPUs in 2 of 3 repeats", "other programs moved 200 MB/s over the
/// dataset's device, more than it read", as a part of a sentence; empty where it was not disturbed.
[[nodiscard]] std::string foreign_load_text(const CellResult& cell);

/// "During its measurement other programs used 0.96 of 2 CPUs in 2 of 3 repeats; its rate is
/// affected."; empty where it was not disturbed.
[[nodiscard]] std::string foreign_load_caution(const CellResult& cell);

/// The same of all cells, as a sentence.
[[nodiscard]] std::string foreign_load_sentence(const RunResult& run);

/// The foreign load first, then what was measured too shortly to see it, then the environment's.
[[nodiscard]] std::vector<std::string> warnings_of(const RunResult& run);

}  // namespace feedrate
