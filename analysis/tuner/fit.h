// SPDX-License-Identifier: Apache-2.0
// Fits the costs that the replay needs to a few measured cells. Pure functions of results; any
// thread.
//
// Each kind of probe shows one cost directly: the mock trainer the making of a batch (W = 0 in the
// training thread, W = 1 in a worker, many workers the scaling), the mock loader the copy and the
// step, real cells with workers receiving and pinning. From these first guesses, least squares move
// all costs together until the replay of every measured cell matches its step_time, wait_time,
// copy_time and cpu_time. A weak prior keeps costs that no probe shows at their first guess. CPU
// time shows the time of threads on idle cores.
#pragma once
#include <limits>
#include <span>

#include "analysis/tuner/replay.h"
#include "core/result.h"

namespace feedrate {

struct FittedModel {
  BatchCosts costs;
  Cores cores;
  /// The share of reading in making a batch, if cells show it; unused by the replay.
  double read_share = std::numeric_limits<double>::quiet_NaN();
  /// False if no cell shows the time of the training, since making batches limits all of them.
  bool training_is_known = true;
};

/// Fits cells that make the same batches (same_work). Cells that are not ok are skipped; of more
/// than 64, at most 20 per kind (mock loader, mock trainer, neither) are used, spread over the
/// workers. REQUIRES: at least one ok cell; cores > 0
[[nodiscard]] FittedModel fit_model(std::span<const CellResult* const> measured, double cores);

/// The start of the fit: each cost estimated from the probe that shows it. REQUIRES: as above
[[nodiscard]] FittedModel first_guess(std::span<const CellResult* const> measured, double cores);

/// Whether cells predict one with these settings: the trainer alone cannot predict a loader, nor
/// the reverse.
[[nodiscard]] bool can_predict(std::span<const CellResult* const> measured,
                               const LoopSettings& wanted);

[[nodiscard]] ReplayedEpoch predict(const FittedModel& model, const LoopSettings& settings);

/// Samples per second of all ranks.
[[nodiscard]] double rate_in(const FittedModel& model, const Settings& settings);

}  // namespace feedrate
