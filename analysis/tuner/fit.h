// SPDX-License-Identifier: Apache-2.0
// From a few measured cells to the costs that the replay needs. Pure functions of results; any
// thread.
//
// Each kind of probe shows one thing directly: the mock trainer what making a batch costs (W = 0 in
// the training thread, W = 1 in a worker, many workers how far that scales), the mock loader what
// the copy and the step cost, real cells with workers what it costs to receive and to pin a batch.
// These figures are where the search begins; then all costs together are moved until the replay of
// every measured cell gives its step_time, wait_time, copy_time and cpu_time as well as can be
// (least squares, with a weak pull towards the direct figures, so that what no probe shows stays
// there). CPU time shows what a thread takes on a core that was idle just then.
#pragma once
#include <limits>
#include <span>

#include "analysis/tuner/replay.h"
#include "core/result.h"

namespace feedrate {

struct FittedModel {
  BatchCosts costs;
  Cores cores;
  /// Of what making a batch takes, where cells tell; the replay does not need it.
  double read_share = std::numeric_limits<double>::quiet_NaN();
  /// False where no cell shows what the training takes: making batches limits them all.
  bool training_is_known = true;
};

/// From cells that make the same batches (same_work). Cells that are not ok say nothing; of more
/// than 64 at most 20 with each mock, and with none, are taken, spread over the workers. REQUIRES:
/// at least one ok cell; cores > 0
[[nodiscard]] FittedModel fit_model(std::span<const CellResult* const> measured, double cores);

/// Seconds a step, predicted.
[[nodiscard]] ReplayedEpoch predict(const FittedModel& model, const LoopSettings& settings);

/// Samples a second of all ranks, each of which is what the model describes.
[[nodiscard]] double rate_in(const FittedModel& model, const Settings& settings);

}  // namespace feedrate
