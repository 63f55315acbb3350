// SPDX-License-Identifier: Apache-2.0
// How a cell is going to be measured, and what that costs as far as it is known beforehand.
#pragma once
#include <cstddef>
#include <optional>

#include "bench/plan/cell_spec.h"
#include "bench/plan/config.h"
#include "bench/plan/protocol_options.h"

namespace feedrate {

[[nodiscard]] ProtocolOptions protocol_of(const CellSpec& cell, const MeasureConfig& measure);

struct CellEstimate {
  /// The trainer's steps alone: the loader's share is what the sweep is to find out. Empty where
  /// only a run tells how long they take: products of matrices on a real GPU.
  std::optional<double> seconds_at_least = 0.0;
  /// Host memory for batches: those that may be outstanding, the one in use, and those that
  /// non_blocking copies may still read.
  std::size_t batch_bytes = 0;
};

/// seconds_at_least; nothing where batches are padded to their longest, either: a step is then as
/// long as the sequences that meet in it.
[[nodiscard]] std::optional<double> least_seconds(const CellSpec& cell,
                                                  const MeasureConfig& measure);

/// `sample_bytes` is 0 where the dataset is not there yet; batch_bytes is then 0, too.
[[nodiscard]] CellEstimate estimate(const CellSpec& cell, const MeasureConfig& measure,
                                    std::size_t sample_bytes);

}  // namespace feedrate
