// SPDX-License-Identifier: Apache-2.0
// Predicts every candidate with the model fitted to the measured cells. Pure; any thread.
#pragma once
#include <functional>
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

/// Predicts the rates of all candidates from the measured cells, one per candidate.
using Predictor = std::function<std::vector<std::optional<Prediction>>(
    std::span<const Candidate> candidates, std::span<const CellResult> measured)>;

/// One per candidate; empty if no measured cell makes the same batches. Each group of candidates
/// that make the same batches (same_work) has a fit of its own. Cells that are not ok are skipped.
/// REQUIRES: cores > 0
[[nodiscard]] std::vector<std::optional<Prediction>> predict_all(
    std::span<const Candidate> candidates, std::span<const CellResult> measured, double cores);

/// Predicts the rates of one loader from another's with the same settings, as PyTorch's from those
/// of feedrate's native loader with its cost. A prediction is `explored`, one per candidate, times
/// one factor: the geometric mean of measured / explored over the cells measured with the new
/// loader. Empty before the first of them. The rest of each difference is the model's error.
[[nodiscard]] Predictor transferred(std::vector<std::optional<Prediction>> explored);

}  // namespace feedrate
