// SPDX-License-Identifier: Apache-2.0
// Applies the rule of analysis/decision.h to cells measured under the same conditions. Pure
// functions of cells, which must outlive what they return; any thread.
#pragma once
#include <vector>

#include "analysis/decision.h"
#include "core/result.h"

namespace feedrate {

/// Cells with a rate above 0.
struct MeasuredCells {
  std::vector<const CellResult*> candidates;
  /// Groups of cells that train on other samples or batches, one group per training.
  std::vector<std::vector<const CellResult*>> other_trainings = {};
  std::vector<const CellResult*> lacking = {};  ///< with settings that PyTorch lacks
};

/// REQUIRES: there is a candidate, and a cell of each other training
[[nodiscard]] Proposal decide(MeasuredCells measured, double tolerance);

}  // namespace feedrate
