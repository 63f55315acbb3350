// SPDX-License-Identifier: Apache-2.0
// What the rates of one loader say of another's, where both load with the same settings: of
// feedrate's own that costs what PyTorch's does, of PyTorch's. Pure functions; any thread.
#pragma once
#include <optional>
#include <vector>

#include "analysis/tuner/tuner.h"

namespace feedrate {

/// A candidate's rate with the other loader is `explored`, one a candidate, times one factor for
/// all: the geometric mean of measured / explored of the cells that were measured with the other
/// one. Nothing before any was. What is left of each cell's difference is the model's error.
[[nodiscard]] Predictor transferred(std::vector<std::optional<Prediction>> explored);

}  // namespace feedrate
