// SPDX-License-Identifier: Apache-2.0
// Cells' rates, and how much they scatter from loader start to loader start. Pure functions of
// results; any thread.
#pragma once
#include <optional>
#include <span>

#include "core/result.h"
#include "core/statistics.h"
#include "core/uncertain.h"

namespace feedrate {

/// samples_per_second; not a number where the cell has none.
[[nodiscard]] double rate_of(const CellResult& cell);

/// Samples of a step of all ranks: batch_size times ranks, as PyTorch's documentation of
/// DistributedDataParallel uses the word. 0 where the dataset makes the batches.
[[nodiscard]] double global_batch_size(const Settings& settings);
/// The same of a measured cell: of batches that the dataset makes, the mean.
[[nodiscard]] double global_batch_size(const CellResult& cell);

/// The 95 % interval of samples_per_second; nothing where it is missing or not finite.
[[nodiscard]] std::optional<Interval> rate_interval(const CellResult& cell);

/// The rate with its standard error over starts of the loader: from the starts themselves where
/// they are on record, as in run.json, else from the interval and the number of starts. Where only
/// the interval is known, it is taken for a normal one. Nothing for a cell that is not ok, has no
/// rate, or one start only.
[[nodiscard]] std::optional<Uncertain> uncertain_rate(const CellResult& cell);

}  // namespace feedrate
