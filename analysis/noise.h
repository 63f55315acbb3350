// SPDX-License-Identifier: Apache-2.0
// How much cells' rates scatter from loader start to loader start, and the difference between two
// cells that is more than that. Pure functions of results; any thread.
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

/// How many starts of the loader the interval stands on; 0 where there is none.
[[nodiscard]] double starts_of(const CellResult& cell);

/// The relative deviation of loader starts, pooled over all cells with two and more: few starts a
/// cell say little, all of them together much. Relative, since the cells' rates differ.
struct Noise {
  double deviation = 0.0;
  double freedom = 0.0;
};

[[nodiscard]] Noise pooled_noise(std::span<const CellResult* const> cells);

/// The least relative loss against a faster cell that is not noise at 95 %, t sqrt(s^2/n + s^2/m)
/// (Fisher's LSD; Snedecor and Cochran, Statistical Methods, 12.9). 5 % where either had one start
/// only.
[[nodiscard]] double least_significant_loss(const Noise& noise, double starts, double other_starts);

}  // namespace feedrate
