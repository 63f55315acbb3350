// SPDX-License-Identifier: Apache-2.0
// Predicts every candidate with the model fitted to the measured cells. Pure; any thread.
#pragma once
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "analysis/tuner/candidate.h"
#include "core/result.h"

namespace feedrate {

struct Prediction {
  double rate = 0.0;              ///< samples/s
  double step_time = 0.0;         ///< seconds
  double first_batch_time = 0.0;  ///< of a new loader
  /// The measured rate of the mock loader with the same copies, an upper bound.
  double trainer_limit = std::numeric_limits<double>::infinity();
};

/// One per candidate; empty if no measured cell makes the same batches. Each group of candidates
/// that make the same batches (same_work) has a fit of its own. Cells that are not ok are skipped.
/// REQUIRES: cores > 0
[[nodiscard]] std::vector<std::optional<Prediction>> predict_all(
    std::span<const Candidate> candidates, std::span<const CellResult> measured, double cores);

}  // namespace feedrate
