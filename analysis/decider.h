// SPDX-License-Identifier: Apache-2.0
// The proposal among cells that were measured under the same conditions, by the rule of
// analysis/decision.h. Pure functions of cells, which must outlive what they return; any thread.
#pragma once
#include <vector>

#include "analysis/decision.h"
#include "core/result.h"

namespace feedrate {

/// All with a rate above 0, by whether they may be chosen.
struct MeasuredCells {
  std::vector<const CellResult*> candidates;
  /// Cells that train on other samples or batches, those of one training together.
  std::vector<std::vector<const CellResult*>> other_trainings = {};
  std::vector<const CellResult*> lacking = {};  ///< settings that PyTorch does not have
};

/// REQUIRES: there is a candidate, and a cell of each other training
[[nodiscard]] Proposal decide(MeasuredCells measured, double tolerance);

}  // namespace feedrate
