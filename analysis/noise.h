// SPDX-License-Identifier: Apache-2.0
// The noise of rates over loader starts. Pure functions of results; any thread.
#pragma once
#include <optional>
#include <span>

#include "core/result.h"
#include "core/statistics.h"
#include "core/uncertain.h"

namespace feedrate {

/// samples_per_second; NaN if missing.
[[nodiscard]] double rate_of(const CellResult& cell);

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

/// Starts behind the interval; 0 without an interval.
[[nodiscard]] double starts_of(const CellResult& cell);

/// The relative deviation over loader starts, pooled over all cells with two or more: few starts
/// per cell give a poor estimate, all cells together a good one.
struct Noise {
  double deviation = 0.0;
  double freedom = 0.0;
};

[[nodiscard]] Noise pooled_noise(std::span<const CellResult* const> cells);

/// The least relative loss against a faster cell that is not noise at 95 %: t sqrt(s^2/n + s^2/m)
/// (Fisher's LSD; Snedecor and Cochran, Statistical Methods, 12.9). 5 % if either has one start.
[[nodiscard]] double least_significant_loss(const Noise& noise, double starts, double other_starts);

}  // namespace feedrate
