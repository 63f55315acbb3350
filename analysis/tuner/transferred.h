// SPDX-License-Identifier: Apache-2.0
// Predicts the rates of one loader from another's with the same settings, as PyTorch's from those
// of feedrate's native loader with its cost. Pure functions; any thread.
#pragma once
#include <optional>
#include <vector>

#include "analysis/tuner/evidence.h"

namespace feedrate {

/// A prediction is `explored`, one per candidate, times one factor: the geometric mean of measured
/// / explored over the cells measured with the new loader. Empty before the first of them. The rest
/// of each difference is the model's error.
[[nodiscard]] Predictor transferred(std::vector<std::optional<Prediction>> explored);

}  // namespace feedrate
