// SPDX-License-Identifier: Apache-2.0
// The protocol of a cell, and what it costs as far as that is known before the run.
#pragma once
#include <cstddef>
#include <optional>

#include "bench/plan/cell_spec.h"
#include "bench/plan/config.h"
#include "bench/plan/protocol_options.h"

namespace feedrate {

[[nodiscard]] ProtocolOptions protocol_of(const CellSpec& cell, const MeasureConfig& measure);

struct CellEstimate {
  /// A lower bound: the trainer's steps without loading. Empty if only a run can tell how long they
  /// take, as for matrix products on a real GPU.
  std::optional<double> seconds_at_least = 0.0;
  /// Host memory for batches: outstanding ones, the one in use, and those that non_blocking copies
  /// may still read.
  std::size_t batch_bytes = 0;
};

/// Returns seconds_at_least, but nothing if batches are padded to their longest sequence: a step's
/// length then depends on its sequences.
[[nodiscard]] std::optional<double> least_seconds(const CellSpec& cell,
                                                  const MeasureConfig& measure);

/// `sample_bytes` is 0 if the dataset does not exist yet; batch_bytes is then 0, too.
[[nodiscard]] CellEstimate estimate(const CellSpec& cell, const MeasureConfig& measure,
                                    std::size_t sample_bytes);

}  // namespace feedrate
