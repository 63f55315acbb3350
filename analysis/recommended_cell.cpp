// SPDX-License-Identifier: Apache-2.0
#include "analysis/recommended_cell.h"

#include <algorithm>

namespace feedrate {

const CellResult* recommended_cell(const RunResult& run) {
  if (!run.recommended) return nullptr;
  const auto found = std::find_if(run.cells.begin(), run.cells.end(), [&](const CellResult& cell) {
    return cell.outcome != Outcome::kSkipped && cell.settings == run.recommended->settings;
  });
  return found == run.cells.end() ? nullptr : &*found;
}

}  // namespace feedrate
