// SPDX-License-Identifier: Apache-2.0
// The rates of cells and their noise over loader starts. Pure functions of results; any thread.
#pragma once
#include <optional>
#include <span>

#include "core/result.h"
#include "core/statistics.h"
#include "core/uncertain.h"

namespace feedrate {

/// samples_per_second; NaN if missing.
[[nodiscard]] double rate_of(const CellResult& cell);

/// Whether the cell is ok and has a finite rate above 0.
[[nodiscard]] bool is_measured(const CellResult& cell);

/// Samples per step of all ranks: batch_size times ranks, as PyTorch's documentation of
/// DistributedDataParallel defines it. 0 if the dataset makes the batches.
[[nodiscard]] double global_batch_size(const Settings& settings);
/// For batches that the dataset makes, the mean of those measured.
[[nodiscard]] double global_batch_size(const CellResult& cell);

/// The 95 % interval; empty unless finite.
[[nodiscard]] std::optional<Interval> rate_interval(const CellResult& cell);

/// The rate with its standard error over loader starts: from the starts if they are recorded, as in
/// run.json, else from the interval and the number of starts. Without that number, the interval
/// counts as a normal one. Empty for a cell that is not ok, has no rate, or has one start.
[[nodiscard]] std::optional<Uncertain> uncertain_rate(const CellResult& cell);

}  // namespace feedrate
