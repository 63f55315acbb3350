// SPDX-License-Identifier: Apache-2.0
// Cells of a run that leave a choice: they differ in settings of the loader and of the copy only.
// Under other conditions (analysis/conditions.h) it is another situation.
// Pure functions; any thread. The works must outlive what they return.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "analysis/tuner/fitted_work.h"

namespace feedrate {

struct SituatedWorks {
  std::string name;  ///< what tells it from the others; may be empty
  std::vector<const FittedWork*> works;
};

/// In the order of the run.
[[nodiscard]] std::vector<SituatedWorks> situate(std::span<const FittedWork> works);

}  // namespace feedrate
