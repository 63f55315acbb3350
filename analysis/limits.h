// SPDX-License-Identifier: Apache-2.0
// What a cell could win: the rates of its trainer alone and of its loader alone, how much of its
// step it waits in vain, and which stage it waits for. Pure functions of results; any thread.
//
// The limits are cells of the same run: those with a mock loader (`loader` is "cached") tell what a
// trainer can take, those with a batch that lies on the device ("resident") the same without any
// copy, those with a mock trainer (`trainer` is "discard") what a loader can deliver.
#pragma once
#include <string>

#include "core/result.h"
#include "core/setting.h"

namespace feedrate {

/// Where a cell's time goes; to_string has the words of cells.csv.
enum class Bottleneck {
  kStorage,    ///< reading
  kDecode,     ///< decoding and transforms, work of the CPU
  kTransport,  ///< collating and handing batches over to the trainer
  kCopy,       ///< from host to device
  kGpu,        ///< the trainer itself, on a GPU
  kCpuStep,    ///< the trainer itself, on the CPU
  kBalanced,   ///< the loader all but keeps up with the trainer
  kForeign,    ///< other programs, which took its CPUs or storage: what it could do is not known
};

[[nodiscard]] const char* to_string(Bottleneck bottleneck) noexcept;

/// At most this share of the step is stalled: nothing is left to win by loading faster.
inline constexpr double kNothingToWin = 0.02;
/// Up to this share loader and trainer are called balanced.
inline constexpr double kBalance = 0.10;

/// Gives every ok cell that is no limit the metrics step_limit, trainer_limit, loader_limit, stall
/// and headspace, and its bottleneck, as far as the run has measured the limits; what it had of
/// these is replaced. The fastest cell that fits is the limit. A trainer's limit that a cell is
/// shown to exceed by more than kBalance is none: such cells have no stall and no bottleneck. Cells
/// with a warm and a cold page cache get their data stalls, too (analysis/data_stalls.h). A watched
/// training stays as it is.
void judge_by_limits(RunResult& run);

/// One line: the bottleneck, what is to be won, and the stage times that prove it. Empty where the
/// cell was not judged.
[[nodiscard]] std::string verdict_text(const CellResult& cell);

/// "decode CPU 5, GPU 2": judged cells by bottleneck, in the order of the enumeration; empty where
/// there is none.
[[nodiscard]] std::string bottleneck_counts(const RunResult& run);

}  // namespace feedrate
