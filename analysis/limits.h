// SPDX-License-Identifier: Apache-2.0
// The possible gain of a cell: the rates of its trainer alone and of its loader alone, the stalled
// share of its step, and the stage that it waits for. Pure functions of results; any thread.
//
// The limits are cells of the same run. Cells with a mock loader (`loader` is "cached") measure the
// trainer, with a batch that stays on the device ("resident") the trainer without copies, with a
// mock trainer (`trainer` is "discard") the loader.
#pragma once
#include <string>

#include "core/result.h"
#include "core/setting.h"

namespace feedrate {

/// The stage that limits a cell; to_string() returns the words of cells.csv.
enum class Bottleneck {
  kStorage,    ///< reading
  kDecode,     ///< decoding and transforms, on the CPU
  kTransport,  ///< collating and handing batches over to the trainer
  kCopy,       ///< from host to device
  kGpu,        ///< the trainer itself, on a GPU
  kCpuStep,    ///< the trainer itself, on the CPU
  kBalanced,   ///< the loader almost keeps up with the trainer
  kForeign,    ///< other programs, which took its CPUs or storage; the undisturbed rate is unknown
};

[[nodiscard]] const char* to_string(Bottleneck bottleneck) noexcept;

/// The stalled share of a step up to which faster loading gains nothing.
inline constexpr double kNothingToWin = 0.02;
/// The stalled share up to which a cell is balanced.
inline constexpr double kBalance = 0.10;

/// Sets the metrics step_limit, trainer_limit, loader_limit, stall and headspace, and the
/// bottleneck, of every ok cell that is no limit, if the run has measured the limits; removes old
/// values. The fastest matching cell is the limit. A trainer limit that a cell is shown to exceed
/// by more than kBalance is refuted: cells with this trainer get no stall and no bottleneck. Cells
/// with a warm and a cold page cache also get their data stalls (analysis/data_stalls.h). Watched
/// trainings are left unchanged.
void judge_by_limits(RunResult& run);

/// One line: the bottleneck, the possible gain, and the stage times that prove it. Empty if the
/// cell has no limits.
[[nodiscard]] std::string verdict_text(const CellResult& cell);

/// "decode CPU 5, GPU 2": the number of cells per bottleneck, in the order of the enumeration.
[[nodiscard]] std::string bottleneck_counts(const RunResult& run);

}  // namespace feedrate
