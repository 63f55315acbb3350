// SPDX-License-Identifier: Apache-2.0
// The CPU time and storage that other programs used while cells were measured, and the threshold
// for a disturbed repeat: docs/measurement.md, "Foreign load". Pure functions; any thread.
#pragma once
#include <string>
#include <vector>

#include "core/result.h"

namespace feedrate {

/// Means over `seconds`, in CPUs.
struct ForeignLoad {
  double seconds = 0.0;
  double cpus = 0.0;    ///< usable by feedrate, by affinity
  double busy = 0.0;    ///< busy with any process
  double taken = 0.0;   ///< used by other programs, or stolen by other guests of the host
  double stolen = 0.0;  ///< the stolen part of `taken`
};

/// A load is disturbing if it is above this share while less than half of the CPUs are idle.
inline constexpr double kForeignShare = 0.05;
[[nodiscard]] bool is_disturbing(const ForeignLoad& load);

/// Results older than the metric are judged by their series; without either, a start counts as
/// undisturbed, with nothing taken.
[[nodiscard]] bool is_disturbed(const Repeat& start);
/// The unit is CPUs.
[[nodiscard]] double taken_by_others(const Repeat& start);

/// "other programs used 0.96 of 2 CPUs"; empty if the metrics (bench/engines/monitor_figures.h)
/// show no disturbance.
[[nodiscard]] std::string foreign_load_text(const std::vector<Metric>& metrics);

/// Whether any start was disturbed, or the bottleneck is other programs' storage traffic
/// (analysis/limits.h).
[[nodiscard]] bool is_disturbed(const CellResult& cell);

/// The shortest window, in seconds, in which foreign load is measurable: the kernel counts CPU time
/// in ticks of 10 ms.
inline constexpr double kShortestWindow = 0.2;

/// Whether the cell's windows were shorter, so that a disturbance is unknown.
[[nodiscard]] bool is_unwatched(const CellResult& cell);

/// "other programs used 0.96 of 2 CPUs in 2 of 3 repeats", "other programs moved 200 MB/s over the
/// dataset's device, more than it read": a clause; empty if undisturbed.
[[nodiscard]] std::string foreign_load_text(const CellResult& cell);

/// "During its measurement other programs used 0.96 of 2 CPUs in 2 of 3 repeats; its rate is
/// affected."; empty if undisturbed.
[[nodiscard]] std::string foreign_load_caution(const CellResult& cell);

[[nodiscard]] std::string foreign_load_sentence(const RunResult& run);

/// Warnings of a run: the foreign load, those of the environment, then cells measured too shortly.
[[nodiscard]] std::vector<std::string> warnings_of(const RunResult& run);

}  // namespace feedrate
